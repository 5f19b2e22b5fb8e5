# The tests. One doctest program holds unit, law and format tests; ctest lists it once per folder, so that a failure names
# its room. Peers, command line, package, examples and fuzz corpora are entries of their own. Labels are ./test's stages.

set(tests_dir ${PROJECT_SOURCE_DIR}/tests)

# One entry per folder under tests/ that holds *_test.cpp files of a doctest program.
function(armature_doctest_entries program prefix label)
  set(folders "")
  foreach(source ${ARGN})
    file(RELATIVE_PATH relative ${tests_dir} ${source})
    get_filename_component(folder ${relative} DIRECTORY)
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    string(REPLACE "/" "." name ${folder})
    armature_test(${prefix}${name} LABELS ${label} COMMAND ${program} --no-colors=true --no-version=true
                  "--source-file=*tests/${folder}/*")
  endforeach()
endfunction()

# main.cpp holds doctest's implementation, which an earlier doctest.h would shut out.
set_source_files_properties(${tests_dir}/support/main.cpp ${tests_dir}/support/allocation_counter.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

function(armature_test_program target)
  add_executable(${target} ${tests_dir}/support/main.cpp ${ARGN})
  armature_flags(${target})
  if(ARMATURE_SANITIZE)
    # Compiles in half the time. The core comes first, so that its own, optimised copies of inline functions are the ones linked.
    target_compile_options(${target} PRIVATE -O0)
    target_link_options(${target} PRIVATE -Wl,--whole-archive $<TARGET_FILE:armature> -Wl,--no-whole-archive)
  elseif(EMSCRIPTEN)
    target_compile_options(${target} PRIVATE -O1)
  endif()
  target_include_directories(${target} PRIVATE ${tests_dir})
  target_include_directories(${target} SYSTEM PRIVATE ${ARMATURE_DOCTEST_INCLUDE})
  if(ARMATURE_SANITIZE MATCHES thread)
    target_link_libraries(${target} PRIVATE armature)
    return()  # ThreadSanitizer has an operator new of its own
  endif()
  target_sources(${target} PRIVATE ${tests_dir}/support/allocation_counter.cpp)
  target_link_libraries(${target} PRIVATE armature::parallel armature::draw armature_json)
  if(NOT EMSCRIPTEN)
    # Eigen takes memory by malloc, not by operator new: allocation_counter.cpp counts both.
    target_link_options(${target} PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign)
    target_compile_definitions(${target} PRIVATE ARMATURE_WRAPS_MALLOC)
  endif()
endfunction()

if(ARMATURE_TESTS)
  if(EMSCRIPTEN)
    set(ARMATURE_DOCTEST_INCLUDE ${ARMATURE_HEADERS})
  else()
    find_path(ARMATURE_DOCTEST_INCLUDE doctest/doctest.h REQUIRED)
  endif()
  file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS ${tests_dir}/unit/*_test.cpp)
  file(GLOB law_tests CONFIGURE_DEPENDS ${tests_dir}/laws/*_test.cpp)
  file(GLOB format_tests CONFIGURE_DEPENDS ${tests_dir}/formats/*_test.cpp)
  if(ARMATURE_SANITIZE MATCHES thread)  # only what starts threads has something to show there
    set(unit_tests ${tests_dir}/unit/solve/threads_test.cpp)
    set(law_tests "")
    set(format_tests "")
  endif()
  armature_test_program(armature_tests ${unit_tests} ${law_tests} ${format_tests})
  if(TARGET armature_fbx)
    target_link_libraries(armature_tests PRIVATE armature_fbx)
    set_source_files_properties(${tests_dir}/formats/fbx_test.cpp PROPERTIES COMPILE_DEFINITIONS ARMATURE_HAS_FBX
                                                                             SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(EMSCRIPTEN)
    # Node reads files as any program does (NODERAWFS), so the same tests run; those that need threads look at __EMSCRIPTEN__.
    target_link_options(armature_tests PRIVATE -sENVIRONMENT=node -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1
                        -sTOTAL_STACK=4194304 "SHELL:--pre-js ${tests_dir}/support/node_pre.js")
    set_target_properties(armature_tests PROPERTIES SUFFIX .js)
    armature_doctest_entries(armature_tests wasm. wasm ${unit_tests} ${law_tests} ${format_tests})
  else()
    armature_doctest_entries(armature_tests "" unit ${unit_tests})
    armature_doctest_entries(armature_tests "" laws ${law_tests})
    armature_doctest_entries(armature_tests "" formats ${format_tests})
  endif()
endif()

# Answers of a fixed set, hashed (tests/bits): the same in every build. Under clang's sanitizers and as WebAssembly the program is
# only built here; the g++ build's entry runs all three.
if(ARMATURE_TESTS AND NOT ARMATURE_SANITIZE MATCHES thread)
  file(GLOB bits_sources CONFIGURE_DEPENDS ${tests_dir}/bits/*.cpp)
  add_executable(same_bits ${bits_sources})
  armature_flags(same_bits)
  target_include_directories(same_bits PRIVATE ${tests_dir})
  target_link_libraries(same_bits PRIVATE armature::scene)
  if(EMSCRIPTEN)
    target_link_options(same_bits PRIVATE -sENVIRONMENT=node -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1
                        -sTOTAL_STACK=4194304 "SHELL:--pre-js ${tests_dir}/support/node_pre.js")
    set_target_properties(same_bits PROPERTIES SUFFIX .js)
  elseif(NOT ARMATURE_SANITIZE)
    find_program(ARMATURE_PYTHON3 python3 HINTS /usr/bin NO_DEFAULT_PATH)
    armature_test(bits LABELS bits COMMAND ${ARMATURE_PYTHON3} -B ${tests_dir}/bits/bits_test.py
                  ENVIRONMENT "BITS_PROGRAM=$<TARGET_FILE:same_bits>" "BITS_CLANG=${PROJECT_SOURCE_DIR}/build/asan/same_bits"
                              "BITS_WASM=${PROJECT_SOURCE_DIR}/build/wasm/same_bits.js")
  endif()
endif()

# Side by side with the libraries people use today; only where they are installed.
if(ARMATURE_TESTS AND NOT EMSCRIPTEN AND NOT ARMATURE_SANITIZE)
  file(GLOB peer_sources CONFIGURE_DEPENDS ${tests_dir}/peers/*_test.cpp)
  include(${PROJECT_SOURCE_DIR}/cmake/peers.cmake)
  if(peer_sources AND TARGET armature_peers)
    armature_test_program(peer_tests ${peer_sources})
    target_link_libraries(peer_tests PRIVATE armature_peers)
    # FCL, the oracle of bodies; DART brings it along.
    find_path(ARMATURE_FCL_INCLUDE fcl/fcl.h)
    find_library(ARMATURE_FCL fcl)
    find_library(ARMATURE_CCD ccd)
    mark_as_advanced(ARMATURE_FCL_INCLUDE ARMATURE_FCL ARMATURE_CCD)
    set_source_files_properties(${tests_dir}/peers/fcl_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(ARMATURE_FCL_INCLUDE AND ARMATURE_FCL AND ARMATURE_CCD)
      set_property(SOURCE ${tests_dir}/peers/fcl_test.cpp APPEND PROPERTY COMPILE_DEFINITIONS ARMATURE_HAS_FCL)
      target_link_libraries(peer_tests PRIVATE ${ARMATURE_FCL} ${ARMATURE_CCD})
    endif()
    armature_doctest_entries(peer_tests "" peers ${peer_sources})
  endif()
endif()

# The checks of tools/ are themselves tested.
find_program(ARMATURE_PYTHON3 python3 HINTS /usr/bin NO_DEFAULT_PATH)
if(ARMATURE_TESTS AND NOT EMSCRIPTEN AND NOT ARMATURE_SANITIZE)
  file(GLOB tool_tests CONFIGURE_DEPENDS ${tests_dir}/tools/*_test.py)
  foreach(test ${tool_tests})
    get_filename_component(name ${test} NAME_WE)
    armature_test(tools.${name} LABELS tools COMMAND ${ARMATURE_PYTHON3} -B ${test})
  endforeach()
endif()

if(ARMATURE_TESTS AND TARGET armature_cli)
  file(GLOB cli_tests CONFIGURE_DEPENDS ${tests_dir}/cli/*_test.py ${tests_dir}/cli/*_test.sh)
  foreach(test ${cli_tests})
    get_filename_component(name ${test} NAME_WE)
    if(test MATCHES "\\.sh$")
      set(command bash ${test})
    else()
      set(command ${ARMATURE_PYTHON3} -B ${test})
    endif()
    armature_test(cli.${name} LABELS cli COMMAND ${command} ENVIRONMENT "ARMATURE=$<TARGET_FILE:armature_cli>"
                  "PYTHONPATH=${tests_dir}/cli")
  endforeach()
endif()

# Real ranks (tests/mpi). Without MPI they fail: that is what the stage is for.
if(ARMATURE_TESTS AND TARGET armature_cli AND NOT ARMATURE_SANITIZE)
  armature_test(mpi LABELS mpi COMMAND ${ARMATURE_PYTHON3} -B ${tests_dir}/mpi/mpi_test.py
                ENVIRONMENT "ARMATURE=$<TARGET_FILE:armature_cli>" "PYTHONPATH=${tests_dir}/cli")
endif()

# One call after the other fails, for every command (tests/faults).
if(ARMATURE_TESTS AND TARGET armature_cli AND NOT ARMATURE_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  add_library(fault_hook MODULE ${tests_dir}/faults/fault_hook.cpp)
  armature_flags(fault_hook)
  target_link_libraries(fault_hook PRIVATE ${CMAKE_DL_LIBS})
  armature_test(faults LABELS faults COMMAND ${ARMATURE_PYTHON3} -B ${tests_dir}/faults/faults_test.py
                ENVIRONMENT "ARMATURE=$<TARGET_FILE:armature_cli>" "FAULT_HOOK=$<TARGET_FILE:fault_hook>")
endif()

# A few of the mutations of tests/mutations, others for each commit; tools/mutate.py --all runs them all. That each of them still fits
# is checked in the stage `tools`.
if(ARMATURE_TESTS AND NOT EMSCRIPTEN AND NOT ARMATURE_SANITIZE)
  armature_test(mutations LABELS mutations COMMAND ${ARMATURE_PYTHON3} -B ${PROJECT_SOURCE_DIR}/tools/mutate.py --sample 4)
endif()

# Uninitialised reads: a small share of the fixed set of tests/bits under valgrind, which does not know all instructions of AVX2.
find_program(ARMATURE_VALGRIND valgrind)
if(ARMATURE_TESTS AND ARMATURE_VALGRIND AND NOT EMSCRIPTEN AND NOT ARMATURE_SANITIZE)
  armature_test(valgrind LABELS valgrind COMMAND ${ARMATURE_VALGRIND} --quiet --error-exitcode=9 --leak-check=no
                $<TARGET_FILE:same_bits> --isa baseline --small)
endif()

if(ARMATURE_EXAMPLES)
  file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
  foreach(example ${examples})
    get_filename_component(name ${example} NAME_WE)
    add_executable(example_${name} ${example})
    armature_flags(example_${name})
    target_link_libraries(example_${name} PRIVATE armature::armature)
    armature_test(example.${name} LABELS examples COMMAND example_${name})
    # They write files where they stand.
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    set_tests_properties(example.${name} PROPERTIES WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  endforeach()
endif()

# Fuzzers, with libFuzzer and sanitizers: each replays its corpus as a test; tools/fuzz.sh lets it search.
if(ARMATURE_TESTS AND ARMATURE_SANITIZE MATCHES address)
  file(GLOB fuzzers CONFIGURE_DEPENDS ${tests_dir}/fuzz/*.cpp)
  foreach(fuzzer ${fuzzers})
    get_filename_component(name ${fuzzer} NAME_WE)
    add_executable(fuzz_${name} ${fuzzer})
    armature_flags(fuzz_${name})
    armature_fuzzed(fuzz_${name})
    target_include_directories(fuzz_${name} PRIVATE ${tests_dir}/fuzz)
    target_link_libraries(fuzz_${name} PRIVATE armature::parallel armature_json)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    # libFuzzer ends a crash with 77 otherwise, which ctest would take for a test that was skipped.
    armature_test(fuzz.${name} LABELS fuzz COMMAND fuzz_${name} -runs=0 -error_exitcode=1 -timeout_exitcode=1 ${tests_dir}/fuzz/corpus/${name} ${PROJECT_SOURCE_DIR}/models)
  endforeach()
endif()

# The fuzzers whose bytes are decisions, fed with random bytes (tools/fuzz.sh --random); built on request.
if(ARMATURE_TESTS AND NOT EMSCRIPTEN AND NOT ARMATURE_SANITIZE)
  foreach(name bodies compile edit follow keyframes mechanism retarget solve track workspace)
    add_executable(random_${name} EXCLUDE_FROM_ALL ${tests_dir}/fuzz/${name}.cpp ${tests_dir}/fuzz/support/random_main.cpp)
    armature_flags(random_${name})
    target_include_directories(random_${name} PRIVATE ${tests_dir}/fuzz)
    target_link_libraries(random_${name} PRIVATE armature::formats)
  endforeach()
endif()

# The installed package and add_subdirectory, as a stranger would use them.
if(ARMATURE_TESTS AND PROJECT_IS_TOP_LEVEL AND NOT EMSCRIPTEN AND NOT ARMATURE_SANITIZE)
  foreach(way find_package pkg_config shared add_subdirectory)
    armature_test(package.${way} LABELS package
                  COMMAND ${CMAKE_COMMAND} -DWAY=${way} -DROOT=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
                          -DCOMPILER=${CMAKE_CXX_COMPILER}
                          -DCCACHE=${ARMATURE_CCACHE} -P ${tests_dir}/package/check.cmake
                  ENVIRONMENT CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1)
    set_tests_properties(package.${way} PROPERTIES TIMEOUT 1500)  # it compiles the library
  endforeach()
  if(TARGET armature_python)
    armature_test(package.deb LABELS package
                  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR} -DCOMPILER=${CMAKE_CXX_COMPILER}
                          -DPYTHON=${Python_EXECUTABLE} -P ${tests_dir}/package/deb.cmake)
    set_tests_properties(package.deb PROPERTIES TIMEOUT 600)
  endif()
  find_program(ARMATURE_DOXYGEN doxygen)
  if(ARMATURE_DOXYGEN)
    armature_test(package.reference LABELS package
                  COMMAND ${CMAKE_COMMAND} -DDOXYGEN=${ARMATURE_DOXYGEN} -DROOT=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
                          -DOUT=${PROJECT_BINARY_DIR}/package/reference -P ${PROJECT_SOURCE_DIR}/cmake/reference.cmake)
  endif()
  armature_test(package.same_bytes LABELS same_bytes
                COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR} -P ${tests_dir}/package/same_bytes.cmake)
  set_tests_properties(package.same_bytes PROPERTIES TIMEOUT 2400)
endif()

# Under a sanitizer the interpreter has to load the runtime first, and the C++ library with it, whose exceptions the runtime watches.
# Python takes memory by malloc there, piece by piece, so that reading past the end of any object shows.
if(ARMATURE_TESTS AND TARGET armature_python AND EXISTS ${PROJECT_SOURCE_DIR}/tests/python)
  set(python_environment "PYTHONPATH=${PROJECT_BINARY_DIR}/python")
  if(ARMATURE_SANITIZE)
    set(preload "")
    foreach(library libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so libstdc++.so.6)
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library} OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
      list(APPEND preload ${file})
    endforeach()
    list(JOIN preload ":" preload)
    list(APPEND python_environment "LD_PRELOAD=${preload}" PYTHONMALLOC=malloc
         "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1" UBSAN_OPTIONS=print_stacktrace=1)
  endif()
  armature_test(python LABELS python COMMAND ${Python_EXECUTABLE} -B -X faulthandler -m pytest -q -p no:cacheprovider
                --ignore=tests/python/hostile_test.py tests/python ENVIRONMENT ${python_environment})
  armature_test(hostile LABELS hostile COMMAND ${Python_EXECUTABLE} -B -X faulthandler -m pytest -q -p no:cacheprovider
                tests/python/hostile_test.py ENVIRONMENT ${python_environment})
  set_tests_properties(hostile PROPERTIES TIMEOUT 3000)
  set_tests_properties(python PROPERTIES TIMEOUT 3000)  # thousands of calls, and mypy from cold
endif()

# The studio: types, logic (vitest) and, in a real browser, the built page. ./test builds it first (tools/build_studio.sh).
if(ARMATURE_TESTS AND EMSCRIPTEN AND EXISTS ${PROJECT_SOURCE_DIR}/apps/studio/package.json)
  file(READ ${PROJECT_SOURCE_DIR}/apps/studio/package.json package)
  foreach(script check test test:browser)
    string(JSON defined ERROR_VARIABLE missing GET "${package}" scripts ${script})
    if(NOT missing)
      string(REPLACE ":" "." name "studio.${script}")
      armature_test(${name} LABELS studio COMMAND npm --prefix apps/studio run --silent ${script}
                    ENVIRONMENT ARMATURE_WASM_DIR=${PROJECT_BINARY_DIR}/bindings/wasm
                                ARMATURE_STUDIO_OUT=${PROJECT_SOURCE_DIR}/build/studio)
      # Pictures are drawn in software there: minutes on a busy machine.
      set_tests_properties(${name} PROPERTIES RUN_SERIAL ON TIMEOUT 1800)
    endif()
  endforeach()
endif()
