# The extension module sunmao._sunmao from python/bindings/*.cpp, when nanobind is at hand (tools/setup.sh brings it).
file(GLOB binding_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/bindings/*.cpp)
if(NOT binding_sources)
  return()
endif()
if(NOT SKBUILD AND NOT DEFINED Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
if(NOT Python_FOUND)
  message(STATUS "Python with headers not found: no Python extension")
  return()
endif()

# With the headers of a later Python, the extension is one for all versions from 3.12 on; any Python may build it.
set(SUNMAO_ABI3_HEADERS "" CACHE STRING "Folders of the headers of a Python from 3.12 on")
if(SUNMAO_ABI3_HEADERS)
  set(Python_VERSION 3.12)
  set(Python_INCLUDE_DIRS ${SUNMAO_ABI3_HEADERS})
  set(Python_SOSABI abi3)
  set(SKBUILD_SOSABI abi3)
  add_library(Python::SABIModule INTERFACE IMPORTED)
  target_include_directories(Python::SABIModule SYSTEM INTERFACE ${SUNMAO_ABI3_HEADERS})
  set(stable_abi STABLE_ABI)
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE
                OUTPUT_VARIABLE nanobind_ROOT RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  message(STATUS "nanobind not found: no Python extension")
  return()
endif()
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_sunmao NB_STATIC ${stable_abi} ${binding_sources})
sunmao_use_unity(_sunmao)
target_link_libraries(_sunmao PRIVATE sunmao_cli sunmao_upstream_vm sunmao_compiler sunmao_runtime_static sunmao_warnings)
target_include_directories(_sunmao PRIVATE ${PROJECT_SOURCE_DIR}/python)
foreach(target nanobind-static nanobind-static-abi3 _sunmao)  # nanobind's headers are not held to our warnings
  if(TARGET ${target})
    target_include_directories(${target} SYSTEM PRIVATE ${Python_INCLUDE_DIRS} ${NB_DIR}/include)
  endif()
endforeach()
target_link_options(_sunmao PRIVATE -Wl,--exclude-libs,ALL)
set_target_properties(_sunmao PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/sunmao)
install(TARGETS _sunmao LIBRARY DESTINATION sunmao COMPONENT python)

if(SUNMAO_PYTHON_IN_TREE AND NOT SKBUILD)
  # Renamed into place: a process that has the old file mapped keeps it.
  set(in_tree ${PROJECT_SOURCE_DIR}/python/sunmao/$<TARGET_FILE_NAME:_sunmao>)
  add_custom_command(
    TARGET _sunmao POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:_sunmao> ${in_tree}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${in_tree}.new ${in_tree}
    VERBATIM)
endif()
