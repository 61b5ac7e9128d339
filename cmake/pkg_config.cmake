# Files for pkg-config: fovea-f32 or fovea-f64, of which a program uses one, and fovea-tasks.
# The libraries are static, so all that they need is named for every link, not only with --static.
set(FOVEA_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH FOVEA_FROM_PC_TO_PREFIX ${CMAKE_INSTALL_PREFIX}/${FOVEA_PC_DIR} ${CMAKE_INSTALL_PREFIX})

function(fovea_add_pc name about requires flags libraries)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/fovea.pc.in fovea-${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/fovea-${name}.pc DESTINATION ${FOVEA_PC_DIR} COMPONENT development)
endfunction()

set(base "xtensor openblas lapack tbb fmt spdlog tomlplusplus libutf8proc libzip")
fovea_add_pc(f32 "attention models, in single precision" "${base}" "-I\${includedir} -DFOVEA_REAL=f32" "-lfovea_f32 -lfovea_base")
fovea_add_pc(f64 "attention models, in double precision" "${base}" "-I\${includedir} -DFOVEA_REAL=f64" "-lfovea_f64 -lfovea_base")
if(FOVEA_PROGRAM)
  fovea_add_pc(tasks "the tasks that come with Fovea, to predict with" "fovea-f32 fmt libutf8proc" "" "-lfovea_tasks")
endif()
