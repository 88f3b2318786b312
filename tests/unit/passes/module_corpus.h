// Modules that every pass is tried on: those of the script cases, those of tests/script, and random ones.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

struct CorpusModule {
  std::string name;
  Module module;
  /// Of a script case: the pass that it is for, and what that is given.
  std::string pass = {};
  AttrMap arguments = {};
};

std::vector<CorpusModule> module_corpus();

/// False under sanitizers, where fewer random modules are drawn: not everything is shown there that a whole one shows.
bool is_whole_corpus();

}  // namespace sunmao
