# `cmake --install` gives a package that find_package(armature) finds: armature::armature, armature::formats and
# armature::scene.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/armature)

install(TARGETS armature EXPORT armatureTargets ARCHIVE COMPONENT library)
if(ARMATURE_FORMATS)
  install(TARGETS armature_formats armature_scene EXPORT armatureTargets ARCHIVE COMPONENT library)
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
endif()
