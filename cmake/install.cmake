# `cmake --install` gives a package that find_package(armature) finds: armature::core, armature::formats, armature::scene,
# armature::parallel, and armature::armature, which is all of them.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/armature)

install(TARGETS armature armature_all EXPORT armatureTargets COMPONENT library)
if(ARMATURE_FORMATS)
  install(TARGETS armature_formats armature_scene armature_parallel EXPORT armatureTargets COMPONENT library)
endif()
# The public headers and what they include; the others are the library's own. Found when it is installed, so that nothing has to be
# listed.
configure_file(cmake/install_headers.cmake.in ${PROJECT_BINARY_DIR}/install_headers.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/install_headers.cmake COMPONENT library)
install(EXPORT armatureTargets NAMESPACE armature:: DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(cmake/armatureConfig.cmake.in ${PROJECT_BINARY_DIR}/armatureConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/armatureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/armatureConfig.cmake ${PROJECT_BINARY_DIR}/armatureConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT library)
# In a folder of each part: Debian packages must not share a file.
install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libarmature-dev COMPONENT library)
install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools)
if(TARGET armature_cli)
  install(TARGETS armature_cli RUNTIME COMPONENT tools)
  # Made by the program itself, so that they hold what it does.
  set(made ${PROJECT_BINARY_DIR}/made)
  install(CODE "file(MAKE_DIRECTORY ${made})
    execute_process(COMMAND $<TARGET_FILE:armature_cli> completion man OUTPUT_FILE ${made}/armature.1 COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND $<TARGET_FILE:armature_cli> completion bash OUTPUT_FILE ${made}/armature COMMAND_ERROR_IS_FATAL ANY)"
          COMPONENT tools)
  install(FILES ${made}/armature.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  install(FILES ${made}/armature DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
  # The studio's page, where tools/build_studio.sh has made it.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/studio/ DESTINATION ${CMAKE_INSTALL_DATADIR}/armature/studio COMPONENT tools OPTIONAL)
endif()
include(cmake/package.cmake)
