# The runtime, what of the C++ library it needs, and what shared objects of models have besides, as one relocatable
# object file, which is compiled into the compiler (docs/adr/0038-shared-objects.md).
if(SUNMAO_SANITIZE OR NOT TARGET sunmao_runtime_objects)
  return()
endif()
file(GLOB object_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/object/*.cpp)
add_library(sunmao_object_parts OBJECT ${object_sources} ${library_sources})
target_link_libraries(sunmao_object_parts PRIVATE sunmao_runtime_flags Threads::Threads)
# The compiler's start files run destructors when an object is unloaded.
foreach(file crtbeginS crtendS)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${file}.o OUTPUT_VARIABLE ${file}
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endforeach()

set(runtime_object ${CMAKE_BINARY_DIR}/generated/runtime_object.o)
set(runtime_parts sunmao_object_parts sunmao_runtime_once sunmao_runtime_objects)
list(TRANSFORM runtime_parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE runtime_part_files)
set(runtime_archives "")
foreach(folder sunmao_io sunmao_cpu)
  get_target_property(kind ${folder} TYPE)
  if(NOT kind STREQUAL INTERFACE_LIBRARY)
    list(APPEND runtime_archives $<TARGET_FILE:${folder}>)
  endif()
endforeach()
add_custom_command(
  OUTPUT ${runtime_object}
  COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -fuse-ld=bfd -Wl,--strip-debug -o ${runtime_object} ${crtbeginS}
          ${runtime_part_files} -Wl,--start-group ${runtime_archives} -l:libstdc++.a -l:libgcc_eh.a -l:libgcc.a
          -l:libc_nonshared.a -Wl,--end-group ${crtendS}
  DEPENDS ${runtime_parts} ${runtime_part_files} ${runtime_archives}
  COMMAND_EXPAND_LISTS VERBATIM)
