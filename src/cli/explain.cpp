// sunmao explain: the page about an error code.
#include <algorithm>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/error_pages.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao::cli {
namespace {

std::string_view title_of(const ErrorPage& page) {
  const std::string_view line = page.text.substr(0, page.text.find('\n'));
  return line.substr(std::min(line.size(), std::string_view("# ").size()));
}

int list_pages() {
  for (const ErrorPage& page : error_pages()) write_out(fmt::format("{}\n", title_of(page)));
  return kSuccess;
}

int explain(std::string code) {
  std::ranges::transform(code, code.begin(), [](char c) { return c == 'e' ? 'E' : c; });
  std::vector<std::string> known;
  for (const ErrorPage& page : error_pages()) {
    if (page.code == code) {
      write_out(page.text);
      return kSuccess;
    }
    known.emplace_back(page.code);
  }
  std::string help = did_you_mean(code, known);
  fail("E0005", {}, fmt::format("there is no error code `{}`", code),
       help.empty() ? "`sunmao explain` lists all codes" : help);
}

}  // namespace

Command add_explain(CLI::App& app) {
  auto code = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("explain", "Say what an error code means and what to do");
  c->footer("Example:\n  sunmao explain E0801");
  c->add_option("CODE", *code, "such as E0801; without it, all codes are listed");
  return {c, [code] { return code->empty() ? list_pages() : explain(*code); }};
}

}  // namespace sunmao::cli
