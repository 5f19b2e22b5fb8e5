# Peers of `armature bench ik`: one module beside the program for each library that is installed, loaded by that command alone.
# Without them the command still runs and says what is missing.
include(${PROJECT_SOURCE_DIR}/cmake/peers.cmake)
if(TARGET armature_peers)
  foreach(peer kdl dart)
    add_library(armature_peer_${peer} MODULE ${PROJECT_SOURCE_DIR}/apps/cli/peers/${peer}.cpp)
    armature_flags(armature_peer_${peer})
    set_target_properties(armature_peer_${peer} PROPERTIES PREFIX "" SUFFIX .so)
    target_include_directories(armature_peer_${peer} PRIVATE ${PROJECT_SOURCE_DIR}/tests/peers)
    target_link_libraries(armature_peer_${peer} PRIVATE armature armature_peers)
    add_dependencies(armature_cli armature_peer_${peer})
  endforeach()
endif()
