# armature_test(name LABELS stage COMMAND ... [ENVIRONMENT A=b ...]): an entry of ctest that ./test runs in that stage and counts
# (tools/count_tests.py). Runs from the project's root. For rooms with their own CMakeLists.txt, too.
enable_testing()

function(armature_test name)
  cmake_parse_arguments(arg "" "" "LABELS;COMMAND;ENVIRONMENT" ${ARGN})
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600 SKIP_RETURN_CODE 77
                                          ENVIRONMENT "ARMATURE_ROOT=${CMAKE_SOURCE_DIR};${arg_ENVIRONMENT}")
endfunction()
