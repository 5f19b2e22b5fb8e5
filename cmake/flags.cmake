# Flags shared by every target of the project: armature_flags(target).

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(ARMATURE_CCACHE ccache)
  # em++ calls ccache itself (EM_COMPILER_WRAPPER).
  if(ARMATURE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT EMSCRIPTEN)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${ARMATURE_CCACHE})
  endif()
endif()

# Several files to a compilation: a cold build takes half the time, since Eigen and the parsers are read less often. A file's name
# alone decides its company, so that adding one rebuilds one group. Presets other than dev, which are built from cold more often than after
# an edit, have groups of four times the size (not of tests, whose names nothing keeps apart): half the time again. Twice that for the core
# in release: a sixth less.
# Not CMake's own UNITY_BUILD: it names files by their whole path, so that the compiler's cache is of no use to another checkout.
# Left alone are generated files, those with definitions of their own or SKIP_UNITY_BUILD_INCLUSION, and targets with ARMATURE_UNGROUPED.
# Files with options of their own (armature_cold) are a group.
# Runs at the end of the directory, when all of these are known.
function(armature_group target)
  get_target_property(ungrouped ${target} ARMATURE_UNGROUPED)
  get_target_property(all ${target} SOURCES)
  set(sources "")
  set(bulk "")
  foreach(source ${all})
    get_filename_component(source ${source} ABSOLUTE)
    string(FIND ${source} ${PROJECT_SOURCE_DIR}/ inside)
    set(alone ${ungrouped})
    get_source_file_property(own ${source} COMPILE_OPTIONS)
    if(own AND EMSCRIPTEN)
      set(alone ON)
    endif()
    foreach(property SKIP_UNITY_BUILD_INCLUSION GENERATED COMPILE_DEFINITIONS)
      get_source_file_property(value ${source} ${property})
      if(value)
        set(alone ON)
      endif()
    endforeach()
    if(inside EQUAL 0 AND source MATCHES "\\.cpp$" AND NOT alone)
      if(own)
        list(APPEND bulk ${source})
        set(bulk_options ${own})
      else()
        list(APPEND sources ${source})
      endif()
    endif()
  endforeach()
  list(LENGTH sources count)
  if(count LESS 3)
    return()
  endif()
  set(groups 1)
  set(most ${ARMATURE_UNITY_FILES})
  if(target MATCHES "test|fuzz|same_bits")
    set(most 10)
  elseif(NOT target STREQUAL armature AND most GREATER 40)
    set(most 40)  # two cores end together only if what is compiled last comes in pieces
  endif()
  while(count GREATER most)
    math(EXPR groups "2 * ${groups}")
    math(EXPR count "${count} / 2")
  endwhile()
  foreach(source ${sources})
    get_filename_component(name ${source} NAME)
    string(MD5 digest ${name})
    string(SUBSTRING ${digest} 0 2 digits)
    math(EXPR group "0x${digits} % ${groups}")
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    string(APPEND text_${group} "#include \"${name}\"\n")
  endforeach()
  set_source_files_properties(${sources} PROPERTIES HEADER_FILE_ONLY ON)
  math(EXPR last "${groups} - 1")
  set(made "")
  foreach(group RANGE ${last})
    list(APPEND made ${group})
  endforeach()
  if(bulk)
    foreach(source ${bulk})
      file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
      string(APPEND text_bulk "#include \"${name}\"\n")
    endforeach()
    set_source_files_properties(${bulk} PROPERTIES HEADER_FILE_ONLY ON)
    set_source_files_properties(${CMAKE_BINARY_DIR}/armature_groups/${target}_bulk.cpp PROPERTIES COMPILE_OPTIONS "${bulk_options}")
    list(APPEND made bulk)
  endif()
  foreach(group ${made})
    if(DEFINED text_${group})
      # Below the whole build's folder: a project that contains this one finds the same objects in the compiler's cache.
      set(file ${CMAKE_BINARY_DIR}/armature_groups/${target}_${group}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "${text_${group}}" @ONLY)
      target_sources(${target} PRIVATE ${file})
    endif()
  endforeach()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

# g++ walks all its memory again and again to find what it no longer needs: a tenth of the time of large groups. Where there is room (up to
# 2.5 GB for a compilation) the preset release lets it be; the code is the same.
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR memory_per_core "${memory} / ${cores}")
set(ARMATURE_ROOMY OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND ARMATURE_UNITY AND ARMATURE_UNITY_FILES GREATER 40 AND memory_per_core GREATER 3500)
  set(ARMATURE_ROOMY ON)
endif()

function(armature_flags target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
                                             POSITION_INDEPENDENT_CODE ON)
  if(ARMATURE_UNITY)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL armature_group ${target})")
  endif()
  # Checks name their file as seen from the project, given by its whole name or (by ccache) from the build's directory: no paths of the
  # machine in what is built, and two builds have the same bytes.
  file(RELATIVE_PATH up ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${up}=)
  # Without vectors Eigen adds in one order everywhere, in WebAssembly too: the same bits on every machine. What counts is vectorized by
  # hand; docs/decisions/math.md has what it costs.
  # Programs beside KDL, DART and FCL lay out Eigen's types as those libraries do.
  if(NOT target MATCHES "peer")
    target_compile_definitions(${target} PRIVATE EIGEN_DONT_VECTORIZE)
  endif()
  # No code here reads errno after a mathematical function; without this std::sqrt cannot become one instruction.
  target_compile_options(${target} PRIVATE -Wall -Wextra -fno-math-errno)
  if(ARMATURE_ROOMY)
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=524288")
  endif()
  if(ARMATURE_QUICK AND NOT target STREQUAL armature)
    target_compile_options(${target} PRIVATE -O1)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ 12 takes any std::optional of a variant for uninitialised; clang and the sanitizers find the real cases.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(EMSCRIPTEN)
    if(NOT target STREQUAL armature)
      target_compile_options(${target} PRIVATE -fwasm-exceptions)
      target_link_options(${target} PRIVATE -fwasm-exceptions)
    endif()
  endif()
  if(ARMATURE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ARMATURE_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${ARMATURE_SANITIZE})
    if(ARMATURE_SANITIZE MATCHES undefined)
      # The core has no type information to check against. The others find what AddressSanitizer finds too, or what the processor
      # refuses by itself, and make the code of Eigen four times as large: twice the time to compile, and to run.
      target_compile_options(${target} PRIVATE -fno-sanitize=vptr,null,object-size,pointer-overflow,alignment)
    endif()
  endif()
endfunction()

# What runs once for a file is compiled with -O1: two fifths less of a cold build. Sources that match `bulk` read or write numbers by the
# million; they keep the full optimization, and are compiled apart from the others.
function(armature_cold target bulk)
  if(NOT CMAKE_BUILD_TYPE STREQUAL Release OR ARMATURE_QUICK OR ARMATURE_SANITIZE OR EMSCRIPTEN)
    return()
  endif()
  target_compile_options(${target} PRIVATE -O1)
  string(REGEX MATCH "-O[0-9]" full "${CMAKE_CXX_FLAGS_RELEASE}")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "/(${bulk})\\.cpp$")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${full})
endfunction()

# The libraries and the fuzzers themselves, where there is AddressSanitizer: what is fuzzed also counts the branches it takes.
function(armature_fuzzed target)
  if(ARMATURE_SANITIZE MATCHES address)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()
