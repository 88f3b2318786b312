#include "tests/unit/passes/module_corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "ir/verify.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "support/diagnostic.h"
#include "tests/random/random_module.h"
#include "tests/unit/effort.h"
#include "tests/unit/passes/script_case.h"

namespace sunmao {
namespace {

namespace fs = std::filesystem;

// Skips scripts that cannot be read, such as those with unknown ops, and modules that do not satisfy stage Imported.
template <class Read>
void add_if_read(std::vector<CorpusModule>& corpus, CorpusModule entry, Read read) {
  try {
    entry.module = read();
  } catch (const UserError&) {
    return;
  }
  if (verify(entry.module, Stage::Imported, 1).empty()) corpus.push_back(std::move(entry));
}

void add_script_cases(std::vector<CorpusModule>& corpus) {
  unsigned cases = 0;
  for (const ScriptCase& c : all_script_cases())
    for (size_t i = 0; i < c.modules.size(); ++i) {
      if (!is_chosen(cases++, 4)) continue;
      add_if_read(corpus, {fmt::format("{}/{}{}", c.pass, c.name, i ? " (Expected)" : ""), {}, c.pass, c.arguments},
                  [&] { return c.module(i); });
    }
}

void add_scripts(std::vector<CorpusModule>& corpus) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator("tests/script"))
    if (entry.path().extension() == ".py") paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    add_if_read(corpus, {path.filename().string(), {}},
                [&] { return parse_module(Source::make(path.string(), text.str()), builtin_ops()); });
  }
}

// Marks the second half of the parameters as weights.
Module with_weights(const Module& m) {
  const Ref<Function> main = m.find_as<Function>("main");
  return m.with_function("main", main->with_attr("num_input", static_cast<int64_t>(main->params.size() / 2)));
}

void add_random_modules(std::vector<CorpusModule>& corpus) {
  const uint64_t random_modules = is_in_part() ? 8 : 200;
  for (uint64_t seed = 0; seed < random_modules; ++seed) {
    const Module m = random_module(seed).module;
    corpus.push_back({fmt::format("random {}", seed), m});
    if (seed % 2) corpus.push_back({fmt::format("random {} with weights", seed), with_weights(m)});
  }
}

}  // namespace

std::vector<CorpusModule> module_corpus() {
  std::vector<CorpusModule> corpus;
  add_script_cases(corpus);
  add_scripts(corpus);
  add_random_modules(corpus);
  return corpus;
}

bool is_whole_corpus() { return !is_in_part(); }

}  // namespace sunmao
