# cmake -DFOLDER=<src/view/page> -DOUTPUT=<file.cpp> -P embed_page.cmake: the parts of the page of `sunmao view` as C++
# string literals; scripts in the order in which they need each other.
set(scripts arrange draw look details treemap panel page)
file(READ ${FOLDER}/page.html html)
file(READ ${FOLDER}/page.css style)
set(script "")
foreach(name IN LISTS scripts)
  file(READ ${FOLDER}/${name}.js text)
  string(APPEND script "${text}\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"view/page_template.h\"

namespace sunmao::view {

std::string_view page_html() { return R\"sunmao(${html})sunmao\"; }
std::string_view page_style() { return R\"sunmao(${style})sunmao\"; }
std::string_view page_script() { return R\"sunmao(${script})sunmao\"; }

}  // namespace sunmao::view
")
