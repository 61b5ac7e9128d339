# Installation: the libraries, their headers, a package for find_package(fovea) and the program.
include(CMakePackageConfigHelpers)
set(FOVEA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)

install(TARGETS fovea_base fovea_f32 fovea_f64 EXPORT fovea ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT fovea FILE foveaTargets.cmake NAMESPACE fovea:: DESTINATION ${FOVEA_PACKAGE_DIR})

configure_package_config_file(cmake/foveaConfig.cmake.in foveaConfig.cmake INSTALL_DESTINATION ${FOVEA_PACKAGE_DIR})
write_basic_package_version_file(foveaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/system_libraries.cmake
              ${PROJECT_BINARY_DIR}/foveaConfig.cmake ${PROJECT_BINARY_DIR}/foveaConfigVersion.cmake
        DESTINATION ${FOVEA_PACKAGE_DIR})

# Headers include each other as "core/tensor.hpp". Installed they read <fovea/core/tensor.hpp>, so that a
# folder of the same name in a user's project never stands in their way.
install(CODE "
  set(source [[${PROJECT_SOURCE_DIR}]])
  set(destination [[${CMAKE_INSTALL_INCLUDEDIR}/fovea]])
  set(folders [[${FOVEA_FOLDERS}]])")
install(SCRIPT cmake/install_headers.cmake)

if(FOVEA_PROGRAM AND TARGET fovea)
  install(TARGETS fovea RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
