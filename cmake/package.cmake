# Packages beside the CMake one: pkg-config files, Debian packages (`cpack -G DEB`), and the reference of the public headers (target
# `reference`, where doxygen is installed). Included by install.cmake.
#
#   cmake --preset release && cmake --build build/release && cpack --config build/release/CPackConfig.cmake -G DEB -B build/packages

# --- pkg-config: armature (everything) and armature-core. The prefix is where the file lies, so that a tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH up /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" up ${up})
set(definitions $<TARGET_PROPERTY:armature,INTERFACE_COMPILE_DEFINITIONS>)
function(armature_pkgconfig name description libraries)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${name}.pc CONTENT "prefix=\${pcfiledir}/${up}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: ${name}
Description: ${description} (C++20)
Version: ${PROJECT_VERSION}
Requires: eigen3
Cflags: -I\${includedir}$<$<BOOL:${definitions}>: -D$<JOIN:${definitions}, -D>>
Libs: -L\${libdir} ${libraries}
")
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir} COMPONENT library)
endfunction()

armature_pkgconfig(armature-core "Kinematic linkages without readers and writers" "-larmature")
set(linked "")
foreach(library armature_draw armature_parallel armature_scene armature_formats armature)  # whoever needs it first, as a linker asks
  if(TARGET ${library})
    list(APPEND linked -l${library})
  endif()
endforeach()
list(JOIN linked " " linked)
armature_pkgconfig(armature "${PROJECT_DESCRIPTION}" "${linked}")

# --- shared libraries (BUILD_SHARED_LIBS): versioned, and of each only what is in namespace armature; what its parsers have stays inside.
if(BUILD_SHARED_LIBS)
  foreach(library armature armature_formats armature_scene armature_parallel armature_draw)
    if(TARGET ${library})
      set_target_properties(${library} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                            LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exported.map
                            DEFINE_SYMBOL "")  # compiled as for static libraries: nothing is compiled twice
      target_link_options(${library} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exported.map)
    endif()
  endforeach()
endif()

# --- Debian packages: armature (the program), libarmature-dev, python3-armature.
if(TARGET armature_python)
  set(python_dir lib/python3/dist-packages/armature)
  install(TARGETS armature_python LIBRARY DESTINATION ${python_dir} COMPONENT python)
  install(DIRECTORY bindings/python/armature/ DESTINATION ${python_dir} COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
  install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-armature COMPONENT python)
endif()

set(CPACK_PACKAGE_NAME armature)
set(CPACK_PACKAGE_VENDOR "The Armature authors")
set(CPACK_PACKAGE_CONTACT "The Armature authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL library)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ${BUILD_SHARED_LIBS})
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libarmature-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS libeigen3-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ${BUILD_SHARED_LIBS})
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Headers, libraries, CMake package and pkg-config files.")
if(TARGET armature_cli)
  list(APPEND CPACK_COMPONENTS_ALL tools)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME armature)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
  set(CPACK_COMPONENT_TOOLS_DESCRIPTION "The command line, with manual page and completion.")
endif()
if(TARGET armature_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-armature)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The Python module armature.")
endif()
include(CPack)

# --- the reference of the public headers, as HTML in build/.../reference.
find_program(ARMATURE_DOXYGEN doxygen)
if(ARMATURE_DOXYGEN)
  add_custom_target(reference COMMAND ${CMAKE_COMMAND} -DDOXYGEN=${ARMATURE_DOXYGEN} -DROOT=${PROJECT_SOURCE_DIR}
                    -DOUT=${PROJECT_BINARY_DIR}/reference -DVERSION=${PROJECT_VERSION}
                    -P ${PROJECT_SOURCE_DIR}/cmake/reference.cmake VERBATIM)
else()
  add_custom_target(reference
                    COMMAND ${CMAKE_COMMAND} -E echo "The reference is made by doxygen, which is not installed: tools/setup.sh package"
                    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
