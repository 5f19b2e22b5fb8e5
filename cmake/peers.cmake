# The libraries people use today, for side-by-side tests and benchmarks: target armature_peers, only where all are installed.
# kdl_parser is looked for by hand: its own CMake package pulls in ROS build tools that nothing here needs.
if(TARGET armature_peers)
  return()
endif()
get_directory_property(definitions COMPILE_DEFINITIONS)
find_package(orocos_kdl QUIET)
find_path(ARMATURE_KDL_PARSER_INCLUDE kdl_parser/kdl_parser.hpp PATH_SUFFIXES kdl_parser)
find_library(ARMATURE_KDL_PARSER_LIBRARY kdl_parser)
find_package(DART 6 QUIET CONFIG COMPONENTS utils-urdf)
set_property(DIRECTORY PROPERTY COMPILE_DEFINITIONS ${definitions})  # DART's package adds some to every target of ours
if(orocos_kdl_FOUND AND ARMATURE_KDL_PARSER_INCLUDE AND ARMATURE_KDL_PARSER_LIBRARY AND DART_FOUND)
  add_library(armature_peers INTERFACE)
  target_include_directories(armature_peers SYSTEM INTERFACE ${orocos_kdl_INCLUDE_DIRS} ${ARMATURE_KDL_PARSER_INCLUDE})
  target_link_libraries(armature_peers INTERFACE ${orocos_kdl_LIBRARIES} ${ARMATURE_KDL_PARSER_LIBRARY} dart dart-utils-urdf)
endif()
