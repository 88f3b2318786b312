#include "tests/unit/passes/script_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "ops/ops.h"
#include "passes/pass_arguments.h"
#include "script/parse.h"

namespace sunmao {
namespace {

namespace fs = std::filesystem;

// Returns the errors of the file: `# E0503: words` behind an offending line, `# error: E0503: words` in the first line
// for an error without a place.
std::vector<ExpectedError> expected_errors(const std::string& all) {
  std::vector<ExpectedError> found;
  std::istringstream lines(all);
  std::string line;
  const std::regex mark("# (error: )?(E[0-9]{4}): (.*)$");
  for (int number = 1; std::getline(lines, line); ++number)
    if (std::smatch m; std::regex_search(line, m, mark)) found.push_back({m[2], m[3], m[1].matched ? 0 : number});
  return found;
}

ScriptCase read_case(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  std::string all = text.str();
  ScriptCase c{path.parent_path().filename().string(),
               path.stem().string(),
               all.substr(0, all.find('\n')),
               {},
               {},
               expected_errors(all)};
  std::ranges::replace(c.pass, '_', '-');
  const std::string line = "\n# pass: ";
  if (size_t at = all.find(line); at != std::string::npos) {
    at += line.size();
    c.arguments = parse_pass_calls(all.substr(at, all.find('\n', at) - at), path.string()).at(0).arguments;
  }
  const std::string mark = "@I.ir_module";
  for (size_t at = all.find(mark); at != std::string::npos;) {
    size_t next = all.find(mark, at + 1);
    const auto lines_before =
        static_cast<size_t>(std::count(all.begin(), all.begin() + static_cast<ptrdiff_t>(at), '\n'));
    c.modules.push_back(std::string(lines_before, '\n') + all.substr(at, next - at));
    at = next;
  }
  return c;
}

}  // namespace

Module ScriptCase::module(size_t i) const { return parse_module(Source::make(name, modules.at(i)), builtin_ops()); }

void PrintTo(const ScriptCase& c, std::ostream* out) { *out << c.pass << "/" << c.name; }

std::vector<ScriptCase> all_script_cases() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator("tests/passes"))
    if (entry.path().extension() == ".py") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<ScriptCase> cases;
  for (const fs::path& p : paths) cases.push_back(read_case(p));
  return cases;
}

}  // namespace sunmao
