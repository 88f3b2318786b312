# Language level, flags that hold everywhere, ccache, mold, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
# For a lane that builds everything to run it once: to optimise would take longer than the tests gain by it.
set(CMAKE_CXX_FLAGS_CHECKED "-O0 -gline-tables-only")
set(CMAKE_C_FLAGS_CHECKED "-O0 -gline-tables-only")

# ccache refuses files that use a precompiled header unless told that the header's defines are no surprise. Paths count
# relative to the source folder, so that a build in another folder finds what this one has compiled.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(cached ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
             CCACHE_NOHASHDIR=1)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${cached} ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${cached} ${CCACHE})
  # A precompiled header holds the digests by which `#pragma once` knows files, comments and all. ccache takes one for
  # another whose text differs in comments only, unless it depends on the files themselves; the namespace keeps such
  # ones apart from those that were taken without.
  set(sunmao_pch_launcher ${cached} CCACHE_DEPEND=1 CCACHE_NAMESPACE=sunmao-pch ${CCACHE})
endif()

# Clang's presets have no precompiled headers: CMake names these by whole paths behind -Xclang, which ccache leaves as they
# are, so that a build in another folder found nothing of what was compiled.

# Gives `target` a precompiled header of the given headers, for it and for what reuses it.
function(sunmao_precompile_headers target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(sunmao_pch_launcher)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${sunmao_pch_launcher}")
  endif()
endfunction()

find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(SUNMAO_SANITIZE)
  # The check of vtables needs the RTTI that io/ and runtime/ are built without.
  add_compile_definitions(SUNMAO_SANITIZED)
  add_compile_options(-fsanitize=${SUNMAO_SANITIZE} -fno-sanitize=vptr -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SUNMAO_SANITIZE})
endif()
if(SUNMAO_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
