# The command line: src/cli/*.cpp without main.cpp is a library, so that tests can link it; main.cpp is `sunmao`.
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
add_library(sunmao_cli11 INTERFACE)
target_include_directories(sunmao_cli11 SYSTEM INTERFACE ${CLI11_INCLUDE_DIR})
sunmao_folder(cli DEPS sunmao_view sunmao_cli11 EXCLUDE "/src/cli/main\\.cpp$")
if(EXISTS ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  # `sunmao explain` prints the pages of docs/errors, which are compiled in.
  set(error_pages ${CMAKE_BINARY_DIR}/generated/error_pages.cpp)
  file(GLOB error_page_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/errors/E*.md)
  add_custom_command(
    OUTPUT ${error_pages}
    COMMAND ${CMAKE_COMMAND} -DPAGES=${PROJECT_SOURCE_DIR}/docs/errors -DOUTPUT=${error_pages} -P
            ${PROJECT_SOURCE_DIR}/cmake/embed_error_pages.cmake
    DEPENDS ${error_page_files} ${PROJECT_SOURCE_DIR}/cmake/embed_error_pages.cmake
    VERBATIM)
  target_sources(sunmao_cli PRIVATE ${error_pages})
  add_executable(sunmao ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  target_link_libraries(sunmao PRIVATE sunmao_cli sunmao_warnings)
  set_target_properties(sunmao PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  install(TARGETS sunmao RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
endif()
