# What the program says of itself, as files: its manual page and what shells complete. And the tasks' data.
find_program(GZIP_PROGRAM gzip REQUIRED)
set(share ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${share})
add_custom_command(
  OUTPUT ${share}/fovea.1.gz ${share}/fovea.bash ${share}/_fovea ${share}/fovea.fish
  COMMAND fovea manual > ${share}/fovea.1
  COMMAND ${GZIP_PROGRAM} -9nf ${share}/fovea.1
  COMMAND fovea completion bash > ${share}/fovea.bash
  COMMAND fovea completion zsh > ${share}/_fovea
  COMMAND fovea completion fish > ${share}/fovea.fish
  DEPENDS fovea VERBATIM)
add_custom_target(fovea_share ALL DEPENDS ${share}/fovea.1.gz)
# All that is installed, without the tests.
add_custom_target(program DEPENDS fovea fovea_share)

install(FILES ${share}/fovea.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${share}/fovea.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME fovea
        COMPONENT program)
install(FILES ${share}/_fovea DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES ${share}/fovea.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
foreach(task cities g2p forecast)
  install(DIRECTORY examples/${task}/data DESTINATION ${CMAKE_INSTALL_DATADIR}/fovea/examples/${task} COMPONENT program
          FILES_MATCHING PATTERN *.tsv PATTERN *.csv PATTERN README.md)
endforeach()
