# The tasks that come with Fovea and how they predict, in both precisions. Single is installed, as fovea::tasks.
set(FOVEA_EXAMPLES_FOLDER ${PROJECT_SOURCE_DIR}/examples CACHE STRING
    "Where the data of the tasks is, before it is looked for where it is installed; empty in a package")
# An example is found by its folder; it needs no file of CMake's.
file(GLOB_RECURSE FOVEA_TASK_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp ${PROJECT_SOURCE_DIR}/predict/*.cpp)
set_source_files_properties(examples/bundled.cpp PROPERTIES
    COMPILE_DEFINITIONS FOVEA_EXAMPLES_FOLDER="${FOVEA_EXAMPLES_FOLDER}")

function(fovea_add_tasks real)
  add_library(examples_${real} STATIC ${FOVEA_TASK_SOURCES})
  target_link_libraries(examples_${real}
      PUBLIC fovea_${real} PRIVATE $<BUILD_INTERFACE:fovea_flags> fmt::fmt nlohmann_json::nlohmann_json fovea::utf8proc)
  target_precompile_headers(examples_${real} PRIVATE <xtensor/xarray.hpp> <functional> <memory> <string> <vector>)
endfunction()
fovea_add_tasks(f32)
fovea_add_tasks(f64)
set_target_properties(examples_f32 PROPERTIES OUTPUT_NAME fovea_tasks EXPORT_NAME tasks)
add_library(fovea::tasks ALIAS examples_f32)
