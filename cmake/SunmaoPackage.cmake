# What a program that embeds the runtime needs, as the component `runtime`: the library under its versioned names, the
# headers, the CMake package `Sunmao` with the target `Sunmao::runtime`, and sunmao.pc. All of it finds the rest
# relative to itself, so that an installed tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(sunmao_link_flag -lsunmao_runtime)
set(sunmao_name_link NAMELINK_COMPONENT runtime)
if(SKBUILD)  # in the Python package; wheels hold no links, so that the library has one name, its soname
  set(CMAKE_INSTALL_LIBDIR sunmao/lib)
  set(CMAKE_INSTALL_INCLUDEDIR sunmao/include)
  get_target_property(soversion sunmao_runtime SOVERSION)
  set_target_properties(sunmao_runtime PROPERTIES VERSION ${soversion})
  set(sunmao_link_flag -l:libsunmao_runtime.so.${soversion})
  set(sunmao_name_link NAMELINK_SKIP)
endif()
set(sunmao_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Sunmao)
set(sunmao_generated ${CMAKE_BINARY_DIR}/generated)

set_target_properties(sunmao_runtime PROPERTIES EXPORT_NAME runtime)
target_include_directories(sunmao_runtime INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS sunmao_runtime EXPORT SunmaoTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
                                                            ${sunmao_name_link})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sunmao DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
install(EXPORT SunmaoTargets NAMESPACE Sunmao:: DESTINATION ${sunmao_package_folder} COMPONENT runtime)

# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${sunmao_generated}/SunmaoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/SunmaoConfig.cmake ${sunmao_generated}/SunmaoConfigVersion.cmake
        DESTINATION ${sunmao_package_folder} COMPONENT runtime)

# The way from the folder of sunmao.pc to the prefix.
file(RELATIVE_PATH SUNMAO_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SUNMAO_PC_TO_PREFIX ${SUNMAO_PC_TO_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/sunmao.pc.in ${sunmao_generated}/sunmao.pc @ONLY)
install(FILES ${sunmao_generated}/sunmao.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
