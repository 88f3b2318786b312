// What a compilation did, in a few lines: inputs, what became of the graph, weights, arithmetic, memory, code.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "compiler/compile.h"

namespace sunmao {

/// Returns the lines as names and texts. `artifact` is what the compilation wrote.
std::vector<std::pair<std::string, std::string>> compile_summary(const Compiled& compiled, const io::Bytes& artifact);

}  // namespace sunmao
