# cmake -DPAGES=<folder> -DOUTPUT=<file.cpp> -P embed_error_pages.cmake: the pages as C++ string literals.
file(GLOB pages ${PAGES}/E*.md)
list(SORT pages)
set(entries "")
foreach(page IN LISTS pages)
  get_filename_component(code ${page} NAME_WE)
  file(READ ${page} text)
  string(APPEND entries "    {\"${code}\", R\"page(${text})page\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"cli/error_pages.h\"

namespace sunmao::cli {
namespace {
constexpr ErrorPage kPages[] = {
${entries}};
}  // namespace

std::span<const ErrorPage> error_pages() { return kPages; }

}  // namespace sunmao::cli
")
