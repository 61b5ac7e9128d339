# What `fovea experiment` measures, and how it is told. Single precision alone: nobody links it but the program.
file(GLOB FOVEA_EXPERIMENT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*.cpp ${PROJECT_SOURCE_DIR}/experiments/account/*.cpp)
add_library(fovea_experiments STATIC ${FOVEA_EXPERIMENT_SOURCES})
target_link_libraries(fovea_experiments
    PUBLIC fovea_f32 PRIVATE fovea_report fovea_flags fmt::fmt)
target_precompile_headers(fovea_experiments PRIVATE <xtensor/xarray.hpp> <functional> <memory> <string> <vector>)
