# fovea_base: what does not depend on the precision. fovea_f32 and fovea_f64: the rest, twice.
set(FOVEA_FOLDERS core autograd modules optim training)  # of the libraries f32 and f64

# Sources name themselves by folder; a file that belongs to the base is listed, all others depend on Real.
set(FOVEA_BASE_SOURCES
    core/shape.cpp
    core/ids.cpp
    core/attention/mask.cpp
    core/attention/mask_term.cpp
    core/attention/rows_of_ids.cpp
    core/memory.cpp
    core/parallel.cpp
    core/precision.cpp
    core/random.cpp
    core/blas_kernel.cpp
    modules/attention/head_settings.cpp
    modules/attention/normalizer.cpp
    modules/attention/pattern.cpp
    modules/attention/settings.cpp
    optim/glob.cpp
    optim/optimizer_names.cpp
    optim/schedule.cpp
    training/array_values.cpp
    training/array_view.cpp
    training/arrays.cpp
    training/attention_options.cpp
    training/attention_systems.cpp
    training/checkpoint_file.cpp
    training/config.cpp
    training/diff.cpp
    training/entries.cpp
    training/entries_pack.cpp
    training/envelope.cpp
    training/file.cpp
    training/import.cpp
    training/journal.cpp
    training/matching.cpp
    training/metrics.cpp
    training/name_map.cpp
    training/npy.cpp
    training/npz.cpp
    training/options.cpp
    training/options_toml.cpp
    training/plan.cpp
    training/predictor.cpp
    training/progress.cpp
    training/restore.cpp
    training/run.cpp
    training/run_files.cpp
    training/safetensors.cpp
    training/settings.cpp
    training/signals.cpp
    training/sparkline.cpp
    training/state.cpp
    training/statistics.cpp
    training/text.cpp
    training/toml_leaves.cpp
    training/version.cpp
    training/watched.cpp
    training/zip.cpp)
# Products of bf16 need oneDNN: its headers here, its library only when a program asks for them.
if(FOVEA_ONEDNN)
  list(APPEND FOVEA_BASE_SOURCES core/onednn/onednn.cpp)
else()
  list(APPEND FOVEA_BASE_SOURCES core/onednn/none.cpp)
endif()
set_source_files_properties(training/version.cpp PROPERTIES COMPILE_DEFINITIONS FOVEA_VERSION="${PROJECT_VERSION}")
file(GLOB_RECURSE FOVEA_REAL_SOURCES CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     core/*.cpp autograd/*.cpp modules/*.cpp optim/*.cpp training/*.cpp)
list(FILTER FOVEA_REAL_SOURCES EXCLUDE REGEX "^core/(kernels/level|onednn)/")
file(GLOB FOVEA_KERNEL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/kernels/level/*.cpp)

# What every target of this project is compiled with; never handed on to users.
add_library(fovea_flags INTERFACE)
target_compile_options(fovea_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-unknown-pragmas)
target_compile_definitions(fovea_flags INTERFACE XXH_INLINE_ALL)  # xxHash from its header, without its library
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports these inside the headers of libraries, the standard one first (its bugs 105329, 105651).
  target_compile_options(fovea_flags INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                         -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
if(FOVEA_WERROR)
  target_compile_options(fovea_flags INTERFACE -Werror)
endif()
if(FOVEA_SANITIZE)
  target_compile_options(fovea_flags INTERFACE -fsanitize=${FOVEA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(fovea_flags INTERFACE -fsanitize=${FOVEA_SANITIZE})
endif()
if(CCACHE_PROGRAM)
  target_compile_options(fovea_flags INTERFACE -fpch-preprocess)
endif()

function(fovea_use_system_headers target)
  target_include_directories(${target} SYSTEM PUBLIC
      $<BUILD_INTERFACE:${RANDOM123_INCLUDE_DIR}> $<BUILD_INTERFACE:${XXHASH_INCLUDE_DIR}>
      $<BUILD_INTERFACE:${UTF8PROC_INCLUDE_DIR}> $<BUILD_INTERFACE:${LIBZIP_INCLUDE_DIR}>)
endfunction()

add_library(fovea_base STATIC ${FOVEA_BASE_SOURCES})
add_library(fovea::base ALIAS fovea_base)
target_compile_features(fovea_base PUBLIC cxx_std_20)
target_include_directories(fovea_base PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
fovea_use_system_headers(fovea_base)
target_link_libraries(fovea_base
    PUBLIC xtensor
    PRIVATE $<BUILD_INTERFACE:fovea_flags> TBB::tbb fovea::blas fovea::utf8proc fovea::libzip
            fmt::fmt spdlog::spdlog cereal::cereal nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus)
if(FOVEA_ONEDNN)
  target_include_directories(fovea_base SYSTEM PRIVATE ${ONEDNN_INCLUDE_DIR})
endif()
set_target_properties(fovea_base PROPERTIES EXPORT_NAME base)
target_precompile_headers(fovea_base PRIVATE <fmt/format.h> <nlohmann/json.hpp> <functional> <memory> <string> <vector>)

# The kernels of one instruction level: plain loops that share no inline code with another level, so
# that the linker cannot put a newer CPU's instructions behind an older level's name.
function(fovea_add_kernels real level)
  set(target fovea_kernels_${real}_${level})
  add_library(${target} OBJECT ${FOVEA_KERNEL_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE FOVEA_REAL=${real} FOVEA_LEVEL=${level})
  target_compile_options(${target} PRIVATE -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math ${ARGN}
      # A register that the compiler takes apart, number by number, is right and slow: no test would find it.
      $<$<CXX_COMPILER_ID:GNU>:-Wvector-operation-performance>)
  target_link_libraries(${target} PRIVATE fovea_flags)
  target_sources(fovea_${real} PRIVATE $<TARGET_OBJECTS:${target}>)
  target_compile_definitions(fovea_${real} PRIVATE FOVEA_HAS_LEVEL_${level})
endfunction()

function(fovea_add_library real)
  set(target fovea_${real})
  set(sources ${FOVEA_REAL_SOURCES})
  list(REMOVE_ITEM sources ${FOVEA_BASE_SOURCES})
  add_library(${target} STATIC ${sources})
  add_library(fovea::${real} ALIAS ${target})
  target_compile_definitions(${target} PUBLIC FOVEA_REAL=${real})
  target_link_libraries(${target}
      PUBLIC fovea_base
      PRIVATE $<BUILD_INTERFACE:fovea_flags> TBB::tbb fovea::blas
              fmt::fmt spdlog::spdlog cereal::cereal nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus)
  target_precompile_headers(${target} PRIVATE
      <xtensor/xarray.hpp> <functional> <memory> <string> <vector>)
  # One precision a target: linking both is an error when CMake runs.
  set_target_properties(${target} PROPERTIES
      EXPORT_NAME ${real} INTERFACE_FOVEA_REAL ${real} COMPATIBLE_INTERFACE_STRING FOVEA_REAL)
  fovea_add_kernels(${real} plain)
  if(FOVEA_LEVELS AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    fovea_add_kernels(${real} v2 -march=x86-64-v2)
    fovea_add_kernels(${real} v3 -march=x86-64-v3)
    fovea_add_kernels(${real} v4 -march=x86-64-v4 -mprefer-vector-width=512)
  endif()
endfunction()

fovea_add_library(f32)
fovea_add_library(f64)
