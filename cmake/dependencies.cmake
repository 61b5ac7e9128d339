# Everything comes from the system by find_package; nothing is downloaded.
find_package(xtensor REQUIRED)
find_package(xtensor-blas REQUIRED)
find_package(OpenBLAS REQUIRED)
find_package(LAPACK REQUIRED)
find_package(cereal REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(TBB REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
find_path(LIBZIP_INCLUDE_DIR zip.h REQUIRED)
include(system_libraries)

# --precision bf16 needs oneDNN's second version; without it the program says so. Only headers are looked for: the
# library is opened when it is asked for. -DONEDNN_INCLUDE_DIR=OFF leaves it out.
find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl_version.h)
set(FOVEA_ONEDNN OFF)
if(EXISTS ${ONEDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h)
  file(STRINGS ${ONEDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h onednn_version REGEX "define DNNL_VERSION_MAJOR 2$")
  if(onednn_version)
    set(FOVEA_ONEDNN ON)
  endif()
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND PROJECT_IS_TOP_LEVEL)
  # A precompiled header defeats ccache unless it may ignore its macros, __TIME__ and the like too.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      ${CCACHE_PROGRAM})
endif()
