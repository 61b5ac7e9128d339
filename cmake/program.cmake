# The program `fovea`. It is built in single precision, and holds the double build too: for gradcheck.
set(FOVEA_PROGRAM_LIBRARIES CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus
    spdlog::spdlog fovea::utf8proc)

# Everything of the program but main and its list of tasks, so that the tests can put theirs in its place.
file(GLOB FOVEA_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp)
list(FILTER FOVEA_CLI_SOURCES EXCLUDE REGEX "/(main|tasks|gradcheck_bridge)\\.cpp$")
add_library(fovea_cli STATIC ${FOVEA_CLI_SOURCES})
target_link_libraries(fovea_cli PUBLIC fovea_experiments PRIVATE fovea_report fovea_flags ${FOVEA_PROGRAM_LIBRARIES})
# --tensorboard needs Protobuf and libpng; without them the program says so.
find_package(Protobuf QUIET)
find_package(PNG QUIET)
if(Protobuf_FOUND AND PNG_FOUND)
  protobuf_generate_cpp(FOVEA_EVENT_SOURCES FOVEA_EVENT_HEADERS ${PROJECT_SOURCE_DIR}/cli/tensorboard/events.proto)
  add_library(fovea_events STATIC ${FOVEA_EVENT_SOURCES} ${FOVEA_EVENT_HEADERS})
  target_include_directories(fovea_events SYSTEM PUBLIC ${PROJECT_BINARY_DIR} ${Protobuf_INCLUDE_DIRS})
  target_link_libraries(fovea_events PUBLIC protobuf::libprotobuf)
  target_sources(fovea_cli PRIVATE
      cli/tensorboard/images.cpp cli/tensorboard/records.cpp cli/tensorboard/writer.cpp)
  target_link_libraries(fovea_cli PRIVATE fovea_events PNG::PNG)
else()
  target_sources(fovea_cli PRIVATE cli/tensorboard/none.cpp)
endif()
target_precompile_headers(fovea_cli PRIVATE <CLI/CLI.hpp> <functional> <memory> <string> <vector>)

# A program with the tasks that `list` defines, a source that is compiled in each precision. A target may link
# only one of them (see library.cmake), hence the double build comes in as objects and archive files.
function(fovea_add_program name list)
  add_library(${name}_double OBJECT ${PROJECT_SOURCE_DIR}/cli/gradcheck_bridge.cpp ${list})
  target_link_libraries(${name}_double PRIVATE fovea_flags fovea_f64 ${FOVEA_PROGRAM_LIBRARIES})
  add_executable(${name} ${PROJECT_SOURCE_DIR}/cli/main.cpp ${list} $<TARGET_OBJECTS:${name}_double>)
  add_dependencies(${name} examples_f64 fovea_f64)
  target_link_libraries(${name} PRIVATE
      fovea_flags $<TARGET_FILE:examples_f64> $<TARGET_FILE:fovea_f64> fovea_cli examples_f32
      ${FOVEA_PROGRAM_LIBRARIES})
endfunction()

fovea_add_program(fovea ${PROJECT_SOURCE_DIR}/cli/tasks.cpp)
set_target_properties(fovea PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
