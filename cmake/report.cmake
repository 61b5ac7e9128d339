# What people look at: pages of runs. It does not depend on the precision. A page's scripts and styles are files of
# their own, which the build puts into the program.
set(FOVEA_PAGE_FILES
    uplot_js=third_party/uplot/uPlot.iife.min.js
    uplot_css=third_party/uplot/uPlot.min.css
    page_css=report/page/page.css
    curves_js=report/page/curves.js
    pictures_js=report/page/pictures.js
    page_js=report/page/page.js)
list(JOIN FOVEA_PAGE_FILES "|" page_files)
list(TRANSFORM FOVEA_PAGE_FILES REPLACE "^[^=]+=" "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE page_paths)
add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/assets.cpp
    COMMAND ${CMAKE_COMMAND} -Doutput=${PROJECT_BINARY_DIR}/assets.cpp -Dsource=${PROJECT_SOURCE_DIR}
            "-Dfiles=${page_files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${page_paths} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
file(GLOB FOVEA_REPORT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/report/*.cpp)
add_library(fovea_report STATIC EXCLUDE_FROM_ALL ${FOVEA_REPORT_SOURCES} ${PROJECT_BINARY_DIR}/assets.cpp)
target_link_libraries(fovea_report
    PUBLIC fovea_base
    PRIVATE fovea_flags fmt::fmt nlohmann_json::nlohmann_json fovea::utf8proc)
