# The CMake package `Sunmao`: `find_package(Sunmao)` gives the target `Sunmao::runtime`, the library with its headers.
include(${CMAKE_CURRENT_LIST_DIR}/SunmaoTargets.cmake)
