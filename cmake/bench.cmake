# Benchmarks: each bench/*.cpp is one Google Benchmark program, built only on request (preset release).
# Programs named *_peers.cpp also link KDL and DART, where those are installed.
find_package(benchmark QUIET)
include(${PROJECT_SOURCE_DIR}/cmake/peers.cmake)
file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
if(benchmark_FOUND)
  foreach(bench ${benches})
    get_filename_component(name ${bench} NAME_WE)
    if(name MATCHES "_peers$" AND NOT TARGET armature_peers)
      continue()
    endif()
    add_executable(bench_${name} EXCLUDE_FROM_ALL ${bench})
    armature_flags(bench_${name})
    target_link_libraries(bench_${name} PRIVATE armature::formats benchmark::benchmark benchmark::benchmark_main
                          $<$<BOOL:$<FILTER:${name},INCLUDE,_peers$>>:armature_peers>)
  endforeach()
endif()
