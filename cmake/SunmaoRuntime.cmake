# The runtime: libsunmao_runtime.so, which needs the C library alone, and the same objects as a static library for the
# compiler, the command line, Python and the tests.
# runtime/library holds what only the former needs, runtime/object what shared objects of models have besides.
file(GLOB_RECURSE runtime_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/*.cpp)
file(GLOB library_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/library/*.cpp)
list(FILTER runtime_sources EXCLUDE REGEX "/runtime/(library|object)/")
if(NOT runtime_sources)
  add_library(sunmao_runtime_static INTERFACE)
  target_link_libraries(sunmao_runtime_static INTERFACE sunmao_root sunmao_io sunmao_cpu)
  return()
endif()

# What runs once for a model, not once for a call, is built to be small.
set(once artifact_loader c_errors c_signatures code_image cpu_quota disassemble element_type elf_image
         instruction layout_errors made_weights manifest memory_formula perf_map program signature state_file
         thread_count verify_code verify_tables weight_loader weights)
list(TRANSFORM once PREPEND ${PROJECT_SOURCE_DIR}/runtime/)
list(TRANSFORM once APPEND .cpp)
list(REMOVE_ITEM runtime_sources ${once})

add_library(sunmao_runtime_once OBJECT ${once})
target_compile_options(sunmao_runtime_once PRIVATE $<$<CONFIG:Release>:-Os>)
add_library(sunmao_runtime_objects OBJECT ${runtime_sources})
# Where functions and loops of the machine happen to begin makes a step of it up to 8 % slower (bench_steps).
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/runtime/machine.cpp ${PROJECT_SOURCE_DIR}/runtime/machine_calls.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
             COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-falign-functions=64;-falign-loops=32>")
foreach(objects sunmao_runtime_once sunmao_runtime_objects)
  target_link_libraries(${objects} PRIVATE sunmao_runtime_flags Threads::Threads)
  sunmao_use_unity(${objects})
endforeach()

add_library(sunmao_runtime_static STATIC $<TARGET_OBJECTS:sunmao_runtime_once>
                                         $<TARGET_OBJECTS:sunmao_runtime_objects>)
target_link_libraries(sunmao_runtime_static PUBLIC sunmao_root sunmao_io sunmao_cpu PRIVATE Threads::Threads)
set_target_properties(sunmao_runtime_static PROPERTIES LINKER_LANGUAGE CXX)

add_library(sunmao_runtime SHARED $<TARGET_OBJECTS:sunmao_runtime_once> $<TARGET_OBJECTS:sunmao_runtime_objects>)
target_link_libraries(sunmao_runtime PRIVATE sunmao_io sunmao_cpu sunmao_runtime_flags)
target_include_directories(sunmao_runtime PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
# Programs record libsunmao_runtime.so.0; libsunmao_runtime.so is the name that they are linked by.
set_target_properties(
  sunmao_runtime
  PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_options(sunmao_runtime PRIVATE -Wl,--gc-sections
                    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/runtime.map)
set_property(TARGET sunmao_runtime APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/runtime.map)
if(NOT SUNMAO_SANITIZE)  # a sanitizer's own library has to be found by everything in the process
  target_sources(sunmao_runtime PRIVATE ${library_sources})
  target_link_options(sunmao_runtime PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,-z,defs)
endif()
include(SunmaoPackage)
