# models/*.json become one generated C++ file, so that neither the command line nor the browser needs a file at run time.
# Included by CMakeLists.txt it declares the rule; run with -DOUT=... -DFILES=... (cmake -P) it writes the file.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.json)
  list(SORT models)
  set(ARMATURE_BUILTIN_MODELS_CPP ${PROJECT_BINARY_DIR}/generated/builtin_models.cpp)
  add_custom_command(
    OUTPUT ${ARMATURE_BUILTIN_MODELS_CPP}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${models}" -DOUT=${ARMATURE_BUILTIN_MODELS_CPP} -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${models} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Embedding the built-in models"
    VERBATIM)
  return()
endif()

set(text "// Generated from models/*.json; do not edit.\n#include \"armature/formats/builtin_models.hpp\"\n\n#include <array>\n\n")
string(APPEND text "namespace armature {\nnamespace {\n")
set(count 0)
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} json)
  string(LENGTH "${json}" length)
  # A compiler need only take 65,536 characters in one literal, and adjacent raw literals are joined: cut into pieces.
  string(APPEND text "constexpr std::string_view kModel${count} =")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${json}" ${at} 16000 piece)
    string(APPEND text "\n    R\"json(${piece})json\"")
    math(EXPR at "${at} + 16000")
  endwhile()
  string(APPEND text ";\n")
  string(APPEND entries "    BuiltinModel{\"${name}\", kModel${count}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND text "constexpr std::array<BuiltinModel, ${count}> kBuiltinModels = {{\n${entries}}};\n}  // namespace\n\n")
string(APPEND text "std::span<const BuiltinModel> builtin_models() { return kBuiltinModels; }\n\n}  // namespace armature\n")
file(WRITE ${OUT} "${text}")
