# models/*.json and exercises/*.json become generated C++ files, so that neither the command line nor the browser needs a file at
# run time. Included by CMakeLists.txt it declares armature_embed(variable folder header type function); run with -DOUT=...
# -DFILES=... and the others (cmake -P) it writes the file.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(ARMATURE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(armature_embed variable folder header type function)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.json)
    list(SORT files)
    set(out ${PROJECT_BINARY_DIR}/generated/builtin_${folder}.cpp)
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUT=${out} -DFOLDER=${folder} -DHEADER=${header} -DTYPE=${type}
              -DFUNCTION=${function} -P ${ARMATURE_EMBED_SCRIPT}
      DEPENDS ${files} ${ARMATURE_EMBED_SCRIPT}
      COMMENT "Embedding ${folder}"
      VERBATIM)
    set(${variable} ${out} PARENT_SCOPE)
  endfunction()
  armature_embed(ARMATURE_BUILTIN_MODELS_CPP models armature/formats/builtin_models.hpp BuiltinModel builtin_models)
  armature_embed(ARMATURE_BUILTIN_EXERCISES_CPP exercises armature/scene/builtin_exercises.hpp BuiltinExercise builtin_exercises)
  return()
endif()

set(text "// Generated from ${FOLDER}/*.json; do not edit.\n#include \"${HEADER}\"\n\n#include <array>\n\n")
string(APPEND text "namespace armature::inline v0_2 {\nnamespace {\n")
set(count 0)
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} json)
  string(LENGTH "${json}" length)
  # A compiler need only take 65,536 characters in one literal, and adjacent raw literals are joined: cut into pieces.
  string(APPEND text "constexpr std::string_view kText${count} =")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${json}" ${at} 16000 piece)
    string(APPEND text "\n    R\"json(${piece})json\"")
    math(EXPR at "${at} + 16000")
  endwhile()
  string(APPEND text ";\n")
  string(APPEND entries "    ${TYPE}{\"${name}\", kText${count}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND text "constexpr std::array<${TYPE}, ${count}> kAll = {{\n${entries}}};\n}  // namespace\n\n")
string(APPEND text "std::span<const ${TYPE}> ${FUNCTION}() { return kAll; }\n\n}  // namespace armature::inline v0_2\n")
file(WRITE ${OUT} "${text}")
