# Builds and runs a stranger's program against this project. WAY is find_package (install to a scratch prefix first) or
# add_subdirectory. Run by ctest; see cmake/tests.cmake.
set(scratch ${BUILD}/package/${WAY})
file(REMOVE_RECURSE ${scratch})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "failed: ${command}\n${output}")
  endif()
endfunction()

set(arguments -G Ninja -S ${ROOT}/tests/package/${WAY} -B ${scratch}/build -DCMAKE_BUILD_TYPE=Release
              -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS_RELEASE=-O0)
if(CCACHE)
  list(APPEND arguments -DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE})
endif()
if(WAY STREQUAL find_package)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/prefix --component library)
  list(APPEND arguments -DCMAKE_PREFIX_PATH=${scratch}/prefix)
else()
  list(APPEND arguments -DARMATURE_SOURCE=${ROOT} -DARMATURE_UNITY=ON)
endif()
run(${CMAKE_COMMAND} ${arguments})
run(${CMAKE_COMMAND} --build ${scratch}/build --target run_all)
message(STATUS "a stranger's program built and ran by ${WAY}")
