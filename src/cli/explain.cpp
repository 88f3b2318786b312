// The command `sunmao explain`: prints the page of an error code, or the record of a pass.
#include <algorithm>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/error_pages.h"
#include "ir/verify.h"
#include "passes/facts.h"
#include "passes/pass.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao::cli {
namespace {

std::string_view title_of(const ErrorPage& page) {
  const std::string_view line = page.text.substr(0, page.text.find('\n'));
  return line.substr(std::min(line.size(), std::string_view("# ").size()));
}

// Formats `**bold**` in a line of Markdown.
std::string with_bold(std::string_view line) {
  std::string out;
  for (size_t begin = line.find("**"); begin != std::string_view::npos; begin = line.find("**")) {
    const size_t end = line.find("**", begin + 2);
    if (end == std::string_view::npos) break;
    out += std::string(line.substr(0, begin)) + bold(line.substr(begin + 2, end - begin - 2));
    line.remove_prefix(end + 2);
  }
  return out + std::string(line);
}

// Renders a page for the terminal: bold headings, indented code, filled paragraphs.
std::string rendered(std::string_view page, size_t width) {
  std::string out, paragraph;
  bool is_code = false;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out += wrapped(with_bold(paragraph), width, "") + "\n";
    paragraph.clear();
  };
  while (!page.empty()) {
    const size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    const bool is_fence = line.starts_with("```");
    const bool is_own = is_code || is_fence || line.empty() || line.starts_with('#') || line.starts_with('|');
    if (is_own || line.starts_with("- ")) end_paragraph();
    if (is_fence)
      is_code = !is_code;
    else if (is_code)
      out += fmt::format("    {}\n", line);
    else if (line.starts_with('#'))
      out += bold(line.substr(line.find_first_not_of("# "))) + "\n";
    else if (is_own)
      out += std::string(line) + "\n";
    else
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
  }
  end_paragraph();
  return out;
}

int list_pages() {
  for (const ErrorPage& page : error_pages()) write_out(fmt::format("{}\n", title_of(page)));
  return kSuccess;
}

std::string facts_text(const char* title, const std::vector<Fact>& facts) {
  std::string out;
  for (Fact fact : facts) out += fmt::format("{}: {}: {}\n", title, info_of(fact).name, info_of(fact).summary);
  return out;
}

std::string pass_text(const Pass& pass) {
  std::string out = fmt::format("{}: {}\n", pass.name, pass.summary);
  if (*pass.compat_name) out += fmt::format("upstream: {}\n", pass.compat_name);
  for (const PassParam& p : pass.params) out += fmt::format("parameter {}: {}\n", p.name, p.doc);
  out += pass.is_idempotent() ? "idempotent: yes\n" : fmt::format("idempotent: no, {}\n", pass.second_run);
  out += facts_text("needs", pass.needs) + facts_text("ensures", pass.ensures);
  if (pass.effect == Effect::Changes) out += "numbers: they change on purpose\n";
  if (pass.breaks) out += fmt::format("breaks the stage: {}\n", name_of(*pass.breaks));
  if (!pass.commutes_with.empty()) out += fmt::format("commutes with: {}\n", fmt::join(pass.commutes_with, ", "));
  if (pass.explains) out += fmt::format("reasons: sunmao opt MODEL --explain {}\n", pass.name);
  return out;
}

// Returns the code that a text such as `e905` or `905` means; the text itself when it is none.
std::string code_of(const std::string& text) {
  constexpr size_t kDigits = 4;
  const bool has_letter = text.starts_with('e') || text.starts_with('E');
  const std::string digits = text.substr(has_letter ? 1 : 0);
  const bool is_code = !digits.empty() && digits.size() <= kDigits &&
                       std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return is_code ? "E" + std::string(kDigits - digits.size(), '0') + digits : text;
}

// Returns the pass of this name, here or in upstream; null when there is none.
const Pass* find_any_pass(const std::string& name) {
  if (const Pass* pass = find_pass(name)) return pass;
  for (const Pass& pass : all_passes())
    if (*pass.compat_name && name == pass.compat_name) return &pass;
  return nullptr;
}

int explain(const std::string& name) {
  if (const Pass* pass = find_any_pass(name)) {
    write_out(pass_text(*pass));
    return kSuccess;
  }
  const std::string code = code_of(name);
  std::vector<std::string> known;
  for (const ErrorPage& page : error_pages()) {
    if (page.code == code) {
      write_out(terminal_width() ? rendered(page.text, terminal_width()) : std::string(page.text));
      return kSuccess;
    }
    known.emplace_back(page.code);
  }
  for (const Pass& pass : all_passes()) known.emplace_back(pass.name);
  std::string help = did_you_mean(code, known);
  fail("E0005", {}, fmt::format("there is no error code and no pass `{}`", name),
       help.empty() ? "`sunmao explain` lists all codes, `sunmao opt --help` all passes" : help);
}

}  // namespace

Command add_explain(CLI::App& app) {
  auto code = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("explain", "Say what an error code means and what to do, or what a pass does");
  c->footer("Examples:\n  sunmao explain E0801\n  sunmao explain realize-vdevice");
  c->add_option("CODE", *code, "such as E0801, or a pass; without it, all codes are listed");
  return {c, [code] { return code->empty() ? list_pages() : explain(*code); }};
}

}  // namespace sunmao::cli
