# The functions that make folders into targets.

add_library(sunmao_warnings INTERFACE)
set(sunmao_warning_flags -Wall -Wextra -Wcast-qual -Wshadow -Wconversion -Wno-sign-conversion
    -Wno-missing-field-initializers)
set(sunmao_cxx_warning_flags -Wold-style-cast -Wnon-virtual-dtor)
target_compile_options(
  # libstdc++ 12 uses what it deprecates, and clang shows that where its templates are instantiated.
  # g++ 12 sees overflows in std::string that are not there (its bugs 105329 and 105651).
  sunmao_warnings INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
                            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow>
                            $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>
                            ${sunmao_warning_flags} $<$<COMPILE_LANGUAGE:CXX>:${sunmao_cxx_warning_flags}>
                            $<$<BOOL:${SUNMAO_WERROR}>:-Werror>)

# Includes from the root of the repository: io/, abi/, cpu/, runtime/.
add_library(sunmao_root INTERFACE)
target_include_directories(sunmao_root INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)

# Includes from src/, and what every file of the compiler is compiled with.
add_library(sunmao_tree INTERFACE)
target_include_directories(sunmao_tree INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(sunmao_tree INTERFACE sunmao_root)
target_compile_options(sunmao_tree INTERFACE -ffp-contract=off)

# Debian has no static {fmt}: its functions are compiled here. All other files are compiled as with the shared library, so
# a static build takes from ccache what `make build` has compiled, and the other way round.
find_package(fmt REQUIRED)
if(SUNMAO_STATIC)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/fmt_functions.cpp @ONLY CONTENT "\
#include <fmt/format-inl.h>
template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
")
  add_library(sunmao_fmt STATIC ${CMAKE_BINARY_DIR}/generated/fmt_functions.cpp)
  get_target_property(fmt_include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(fmt_definitions fmt::fmt INTERFACE_COMPILE_DEFINITIONS)
  target_include_directories(sunmao_fmt SYSTEM PUBLIC ${fmt_include})
  target_compile_definitions(sunmao_fmt PUBLIC ${fmt_definitions})
  set(sunmao_fmt sunmao_fmt)
  set(ZLIB_USE_STATIC_LIBS ON)
else()
  set(sunmao_fmt fmt::fmt)
endif()

# Precompiled headers are made once and reused by all folders of the compiler, which share their flags: the standard
# library's by all, and by folders above `loop` those of the IR as well.
set(sunmao_std_headers
    <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional> <set> <span> <string>
    <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
set(sunmao_ir_headers
    <support/diagnostic.h> <sym/analyzer.h> <sym/walk.h> <ir/builder.h> <ir/equal.h> <ir/module.h> <ir/op.h>
    <ir/type_relation.h> <ir/walk.h> <loop/builder.h> <loop/prim_func.h> <loop/walk.h>)
set(sunmao_folders_below_script support target sym ir loop)
if(SUNMAO_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp.in "")
  configure_file(${CMAKE_BINARY_DIR}/pch.cpp.in ${CMAKE_BINARY_DIR}/pch.cpp COPYONLY)
  foreach(pch sunmao_std_pch sunmao_ir_pch)
    add_library(${pch} OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
    target_link_libraries(${pch} PRIVATE sunmao_tree sunmao_warnings ${sunmao_fmt} Threads::Threads)
  endforeach()
  sunmao_precompile_headers(sunmao_std_pch ${sunmao_std_headers})
  sunmao_precompile_headers(sunmao_ir_pch ${sunmao_std_headers} ${sunmao_ir_headers})
endif()
function(sunmao_use_pch target)
  string(REGEX REPLACE "^sunmao_" "" folder ${target})
  if(SUNMAO_PCH AND folder IN_LIST sunmao_folders_below_script)
    target_precompile_headers(${target} REUSE_FROM sunmao_std_pch)
  elseif(SUNMAO_PCH)
    target_precompile_headers(${target} REUSE_FROM sunmao_ir_pch)
  endif()
endfunction()

# Sources of one folder are compiled several at a time, which spares most of the time that headers take: all that stands
# outside of functions in a folder's sources has a name of its own there (tools/check_style.py). Which ones go together
# depends on their names and on the number of batches, so that a new source mostly recompiles one batch. With TOGETHER,
# all folders of the target count as one; BATCH is the most sources in a batch, on average. From CMake 4 on a batch names
# its sources relative to the source folder, so that ccache knows it in another one.
function(sunmao_use_unity target)
  cmake_parse_arguments(arg "TOGETHER" "BATCH" "" ${ARGN})
  if(NOT SUNMAO_UNITY)
    return()
  endif()
  if(NOT arg_BATCH)
    set(arg_BATCH 24)
  endif()
  get_target_property(sources ${target} SOURCES)
  set(folders "")
  foreach(source ${sources})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(source MATCHES "\\.cpp$" AND NOT source MATCHES "^(\\.\\.|build/)")
      cmake_path(GET source PARENT_PATH folder)
      if(arg_TOGETHER)
        set(folder ${target})
      endif()
      string(MAKE_C_IDENTIFIER ${folder} folder)
      list(APPEND folders ${folder})
      list(APPEND sources_${folder} ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(LENGTH sources_${folder} count)
    math(EXPR batches "(${count} + ${arg_BATCH} - 1) / ${arg_BATCH}")
    foreach(source ${sources_${folder}})
      string(MD5 digest ${source})
      string(SUBSTRING ${digest} 0 6 digits)
      math(EXPR batch "0x${digits} % ${batches}")
      set_source_files_properties(${PROJECT_SOURCE_DIR}/${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_RELOCATABLE ON)
endfunction()

# sunmao_folder(<name> DEPS <targets...> [EXCLUDE <regex>]): src/<name>/**.cpp becomes the static library sunmao_<name>.
# A folder without sources (headers only) becomes an interface library.
function(sunmao_folder name)
  cmake_parse_arguments(arg "" "EXCLUDE" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX ${arg_EXCLUDE})
  endif()
  if(NOT sources)
    add_library(sunmao_${name} INTERFACE)
    target_link_libraries(sunmao_${name} INTERFACE sunmao_tree ${arg_DEPS})
    return()
  endif()
  add_library(sunmao_${name} STATIC ${sources})
  target_link_libraries(sunmao_${name} PUBLIC sunmao_tree ${arg_DEPS} PRIVATE sunmao_warnings Threads::Threads)
  sunmao_use_pch(sunmao_${name})
  sunmao_use_unity(sunmao_${name})
endfunction()

# sunmao_shared_folder(<name>): a folder of the root that both trees use, compiled as the runtime is.
add_library(sunmao_runtime_flags INTERFACE)
target_compile_options(sunmao_runtime_flags INTERFACE -ffunction-sections -fdata-sections)
if(NOT SUNMAO_SANITIZE)  # the sanitizer's check of virtual calls reads type information, of objects made here too
  target_compile_options(sunmao_runtime_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()
target_link_libraries(sunmao_runtime_flags INTERFACE sunmao_root sunmao_warnings)
function(sunmao_shared_folder name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp ${PROJECT_SOURCE_DIR}/${name}/*.c)
  if(NOT sources)
    add_library(sunmao_${name} INTERFACE)
    target_link_libraries(sunmao_${name} INTERFACE sunmao_root)
    return()
  endif()
  add_library(sunmao_${name} STATIC ${sources})
  target_link_libraries(sunmao_${name} PUBLIC sunmao_root PRIVATE sunmao_runtime_flags)
  sunmao_use_unity(sunmao_${name})
endfunction()
