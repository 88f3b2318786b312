# Pictures of graphs: src/view, with the parts of the page (src/view/page) compiled in.
find_package(ZLIB REQUIRED)
sunmao_folder(view DEPS sunmao_compiler ZLIB::ZLIB)
set(page_template ${CMAKE_BINARY_DIR}/generated/page_template.cpp)
file(GLOB page_parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/view/page/*)
add_custom_command(
  OUTPUT ${page_template}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/src/view/page -DOUTPUT=${page_template} -P
          ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${page_parts} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  VERBATIM)
target_sources(sunmao_view PRIVATE ${page_template})
