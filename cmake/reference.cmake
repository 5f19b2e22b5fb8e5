# cmake -DDOXYGEN= -DROOT= -DOUT= -DVERSION= -P reference.cmake: the reference of the headers that users include, and of what those gather.
# A warning is a failure.
file(GLOB pages ${ROOT}/src/armature/*.hpp)
set(headers ${pages})
foreach(page ${pages})
  file(STRINGS ${page} lines REGEX "^#include \"armature/")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"(.*)\"$" "${ROOT}/src/\\1" header "${line}")
    list(APPEND headers ${header})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES headers)
list(JOIN headers " " input)
file(MAKE_DIRECTORY ${OUT})
file(WRITE ${OUT}/Doxyfile "
PROJECT_NAME = Armature
PROJECT_NUMBER = ${VERSION}
PROJECT_BRIEF = \"Kinematic linkages: describe, pose, reach\"
INPUT = ${input}
STRIP_FROM_PATH = ${ROOT}/src
STRIP_FROM_INC_PATH = ${ROOT}/src
OUTPUT_DIRECTORY = ${OUT}
GENERATE_LATEX = NO
HAVE_DOT = NO
EXTRACT_ALL = YES
JAVADOC_AUTOBRIEF = YES
MARKDOWN_SUPPORT = YES
AUTOLINK_SUPPORT = NO
BUILTIN_STL_SUPPORT = YES
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
MACRO_EXPANSION = YES
SORT_MEMBER_DOCS = NO
")
execute_process(COMMAND ${DOXYGEN} ${OUT}/Doxyfile RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "doxygen:\n${output}")
endif()
file(GLOB_RECURSE made ${OUT}/html/*.html)
list(LENGTH made count)
list(LENGTH headers read)
if(count LESS read)
  message(FATAL_ERROR "${count} pages of ${read} headers")
endif()
message(STATUS "${count} pages of ${read} headers in ${OUT}/html")
