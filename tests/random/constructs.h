// What a module consists of, counted by programs that run random ones.
#pragma once
#include <array>

#include "ir/module.h"

namespace sunmao {

inline constexpr std::array kConstructs = {"branches",        "loops",  "calls of functions",
                                           "local functions", "tuples", "run-time sizes"};

/// Returns which of kConstructs the graph-level functions of a module have: bit i is that of entry i.
unsigned constructs_of(const Module& module);

}  // namespace sunmao
