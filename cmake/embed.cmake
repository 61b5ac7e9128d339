# Writes a C++ source with functions that return the texts of files.
# cmake -Doutput=FILE -Dsource=ROOT "-Dfiles=name=path|name=path" -P embed.cmake
string(REPLACE "|" ";" files "${files}")
set(code "#include \"report/assets.hpp\"\n\nnamespace fovea::report::assets {\n\n")
foreach(pair IN LISTS files)
  string(REGEX MATCH "^([^=]+)=(.*)$" _ "${pair}")
  set(name ${CMAKE_MATCH_1})
  # As numbers: no text of theirs can be mistaken for C++, or for a list of CMake's.
  file(READ "${source}/${CMAKE_MATCH_2}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND code "static constexpr unsigned char ${name}_bytes[] = {\n${bytes}};\n"
         "std::string_view ${name}() { return {reinterpret_cast<const char*>(${name}_bytes), sizeof ${name}_bytes}; }\n\n")
endforeach()
file(WRITE "${output}" "${code}}  // namespace fovea::report::assets\n")
