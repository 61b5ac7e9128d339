# Installation, in two components: `development`, the libraries, their headers and what finds them, and `program`.
include(CMakePackageConfigHelpers)
set(FOVEA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)

set(libraries fovea_base fovea_f32 fovea_f64)
set(folders ${FOVEA_FOLDERS})
if(FOVEA_PROGRAM)
  list(APPEND libraries examples_f32)
  list(APPEND folders predict)
endif()
install(TARGETS ${libraries} EXPORT fovea ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT fovea FILE foveaTargets.cmake NAMESPACE fovea:: DESTINATION ${FOVEA_PACKAGE_DIR} COMPONENT development)

configure_package_config_file(cmake/foveaConfig.cmake.in foveaConfig.cmake INSTALL_DESTINATION ${FOVEA_PACKAGE_DIR})
write_basic_package_version_file(foveaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/system_libraries.cmake
              ${PROJECT_BINARY_DIR}/foveaConfig.cmake ${PROJECT_BINARY_DIR}/foveaConfigVersion.cmake
        DESTINATION ${FOVEA_PACKAGE_DIR} COMPONENT development)
include(pkg_config)

# Headers include each other as "core/tensor.hpp". Installed they read <fovea/core/tensor.hpp>, so that a
# folder of the same name in a user's project never stands in their way.
install(CODE "
  set(source [[${PROJECT_SOURCE_DIR}]])
  set(destination [[${CMAKE_INSTALL_INCLUDEDIR}/fovea]])
  set(folders [[${folders}]])" COMPONENT development)
install(SCRIPT cmake/install_headers.cmake COMPONENT development)

# Under sanitizers nothing is made that has to run the program.
if(FOVEA_PROGRAM AND NOT FOVEA_SANITIZE)
  install(TARGETS fovea RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  include(share)
  if(PROJECT_IS_TOP_LEVEL)
    include(debian)
  endif()
endif()
