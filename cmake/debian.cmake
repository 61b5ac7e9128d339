# Debian packages by CPack: fovea, the program, and libfovea-dev. `cpack --config build/package/CPackConfig.cmake`, or
# script/package. The version is the project's; what changed comes from CHANGELOG.md.
set(FOVEA_PACKAGE_CONTACT "The Fovea authors <fovea@users.noreply.github.com>" CACHE STRING "Who makes the packages")
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(debian ${PROJECT_BINARY_DIR}/debian)
file(MAKE_DIRECTORY ${debian})
add_custom_command(
  OUTPUT ${debian}/changelog.Debian.gz ${debian}/changelog.gz
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/cmake/debian/changelog.py ${PROJECT_SOURCE_DIR}/CHANGELOG.md
          ${PROJECT_VERSION} ${FOVEA_PACKAGE_CONTACT} > ${debian}/changelog.Debian
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${debian}/changelog
  COMMAND ${GZIP_PROGRAM} -9nf ${debian}/changelog.Debian ${debian}/changelog
  DEPENDS CHANGELOG.md cmake/debian/changelog.py VERBATIM)
add_custom_target(fovea_debian ALL DEPENDS ${debian}/changelog.Debian.gz)
add_dependencies(program fovea_debian)
# Policy wants these in the folder of each package.
foreach(pair program:fovea development:libfovea-dev)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES cmake/debian/copyright ${debian}/changelog.Debian.gz ${debian}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fovea)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "framework for training attention models")
set(CPACK_PACKAGE_CONTACT ${FOVEA_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME fovea)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
if(FOVEA_ONEDNN)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libdnnl2")  # opened by --precision bf16 alone
endif()
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "This is the program. It trains models with attention on a CPU, for letters
to sounds, sequences to sequences, labels of texts, forecasts of tables and
places by name, and shows what a model looks at.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libfovea-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libxtensor-dev, libopenblas-dev, liblapack-dev, libtbb-dev, libfmt-dev, libspdlog-dev, libtomlplusplus-dev, \
nlohmann-json3-dev, libcereal-dev, libutf8proc-dev, libzip-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "fovea (= ${PROJECT_VERSION}-1)")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "These are headers and static libraries for C++. Reverse-mode autograd over
tensors, attention modules, optimisers and a training loop, in single and
double precision, and the tasks of the program fovea, to predict with from
other programs.")
include(CPack)
