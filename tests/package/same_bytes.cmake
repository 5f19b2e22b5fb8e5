# Two builds give the same bytes: the command line is built once more, from a copy of the sources in a folder of another name and
# depth and without the compiler's cache, and compared with the one of BUILD. Run by ctest; see cmake/tests.cmake.
set(scratch ${BUILD}/package/same_bytes)
set(copy "${scratch}/a/folder/of another name")
file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY "${copy}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "failed: ${command}\n${output}")
  endif()
endfunction()

foreach(part CMakeLists.txt LICENSE THIRD_PARTY.md cmake src apps/cli models exercises)
  get_filename_component(folder "${copy}/${part}" DIRECTORY)
  file(COPY ${ROOT}/${part} DESTINATION "${folder}")
endforeach()
# Everything that BUILD was configured with, but without the cache.
load_cache(${BUILD} READ_WITH_PREFIX BUILD_ CMAKE_CXX_COMPILER CMAKE_BUILD_TYPE CMAKE_CXX_FLAGS_RELEASE ARMATURE_QUICK ARMATURE_UNITY)
run(${CMAKE_COMMAND} -G Ninja -S "${copy}" -B ${scratch}/build -DCMAKE_CXX_COMPILER=${BUILD_CMAKE_CXX_COMPILER}
    -DCMAKE_BUILD_TYPE=${BUILD_CMAKE_BUILD_TYPE} -DCMAKE_CXX_FLAGS_RELEASE=${BUILD_CMAKE_CXX_FLAGS_RELEASE}
    -DARMATURE_QUICK=${BUILD_ARMATURE_QUICK} -DARMATURE_UNITY=${BUILD_ARMATURE_UNITY} -DARMATURE_TESTS=OFF -DARMATURE_EXAMPLES=OFF
    -DCMAKE_DISABLE_FIND_PACKAGE_orocos_kdl=ON -DCMAKE_DISABLE_FIND_PACKAGE_DART=ON)
run(${CMAKE_COMMAND} -E env CCACHE_DISABLE=1 ${CMAKE_COMMAND} --build ${scratch}/build --target armature_cli)
file(SHA256 ${BUILD}/armature here)
file(SHA256 ${scratch}/build/armature there)
if(NOT here STREQUAL there)
  message(FATAL_ERROR "two builds differ: ${BUILD}/armature and ${scratch}/build/armature (cmp -l, diffoscope)")
endif()
file(REMOVE_RECURSE ${scratch})
message(STATUS "two builds of the command line have the same bytes: SHA-256 ${here}")
