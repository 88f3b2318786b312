// The modules that every pass is tested on: script cases, tests/script, and random modules.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

struct CorpusModule {
  std::string name;
  Module module;
  /// for a script case: its pass, and the pass's arguments
  std::string pass = {};
  AttrMap arguments = {};
};

std::vector<CorpusModule> module_corpus();

/// False under sanitizers, where the corpus is a part of this and so not every claim is demonstrated.
bool is_whole_corpus();

}  // namespace sunmao
