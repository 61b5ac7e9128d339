# Targets for system libraries whose packages define none. Read by this build and by the installed package,
# so that neither a path of the machine that built Fovea nor a library's name is written into its targets.
if(NOT TARGET fovea::blas)
  add_library(fovea::blas INTERFACE IMPORTED)
  target_link_libraries(fovea::blas INTERFACE ${OpenBLAS_LIBRARIES} ${LAPACK_LIBRARIES} ${CMAKE_DL_LIBS})
endif()
if(NOT TARGET fovea::utf8proc)
  find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
  add_library(fovea::utf8proc INTERFACE IMPORTED)
  target_link_libraries(fovea::utf8proc INTERFACE ${UTF8PROC_LIBRARY})
endif()
if(NOT TARGET fovea::libzip)
  # Debian's own package file for CMake asks for programs that are packaged elsewhere.
  find_library(LIBZIP_LIBRARY zip REQUIRED)
  add_library(fovea::libzip INTERFACE IMPORTED)
  target_link_libraries(fovea::libzip INTERFACE ${LIBZIP_LIBRARY})
endif()
