#include "tests/unit/passes/script_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ops/ops.h"
#include "passes/pass_arguments.h"
#include "script/parse.h"

namespace sunmao {
namespace {

namespace fs = std::filesystem;

ScriptCase read_case(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  std::string all = text.str();
  ScriptCase c{path.parent_path().filename().string(), path.stem().string(), all.substr(0, all.find('\n')), {}, {}};
  std::ranges::replace(c.pass, '_', '-');
  const std::string line = "\n# pass: ";
  if (size_t at = all.find(line); at != std::string::npos) {
    at += line.size();
    c.arguments = parse_pass_calls(all.substr(at, all.find('\n', at) - at), path.string()).at(0).arguments;
  }
  const std::string mark = "@I.ir_module";
  for (size_t at = all.find(mark); at != std::string::npos;) {
    size_t next = all.find(mark, at + 1);
    c.modules.push_back(all.substr(at, next - at));
    at = next;
  }
  return c;
}

}  // namespace

Module ScriptCase::module(size_t i) const { return parse_module(Source::make(name, modules.at(i)), builtin_ops()); }

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
