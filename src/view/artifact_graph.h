// The graph of an artifact's program, which has no IR: from the text that the runtime disassembles it to.
#pragma once
#include <string>

#include "io/json.h"
#include "ir/module.h"
#include "view/graph.h"

namespace sunmao::view {

/// Returns the graph of all functions: kernel calls and calls of functions, connected by the tensors that they write
/// and read. `manifest` says where calls come from, `weights` are the artifact's own by their names there.
Graph graph_of_program(const std::string& disassembly, const io::JsonValue& manifest, const Weights& weights);

}  // namespace sunmao::view
