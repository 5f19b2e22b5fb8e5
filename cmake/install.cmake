# `cmake --install` gives a package that find_package(armature) finds: armature::armature, armature::formats,
# armature::scene and armature::parallel.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/armature)

install(TARGETS armature EXPORT armatureTargets ARCHIVE COMPONENT library)
if(ARMATURE_FORMATS)
  install(TARGETS armature_formats armature_scene armature_parallel EXPORT armatureTargets ARCHIVE COMPONENT library)
endif()
install(DIRECTORY src/armature DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library FILES_MATCHING PATTERN "*.hpp"
        PATTERN "file_errors.hpp" EXCLUDE)
install(EXPORT armatureTargets NAMESPACE armature:: DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(cmake/armatureConfig.cmake.in ${PROJECT_BINARY_DIR}/armatureConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/armatureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/armatureConfig.cmake ${PROJECT_BINARY_DIR}/armatureConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT library)
foreach(part library tools)
  install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${part})
endforeach()
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
endif()
