// The graph of a module at any stage of the pipeline.
#pragma once
#include "ir/module.h"
#include "view/graph.h"

namespace sunmao::view {

/// Returns the graph of all graph-level functions. Values that a function only passes on (tuples, their fields, other
/// names) are no nodes, and neither are weights and constants, which belong to the nodes that take them. A branch has
/// the nodes of both sides, as modules of its own.
Graph graph_of(const Model& model);

}  // namespace sunmao::view
