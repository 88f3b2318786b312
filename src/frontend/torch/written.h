// Which tensors of a graph its in-place ops may write. A tensor's content is settled before its graph is read, so this
// looks ahead, and says more rather than less: an op's first tensor may share its memory with what the op gives, and
// all tensors that a subgraph takes with what the subgraph gives.
#pragma once
#include <string_view>
#include <unordered_set>

#include "io/json.h"

namespace sunmao::torch {

/// Returns a node's target without "torch.ops.", such as "aten.add.Tensor"; empty for none.
std::string_view target_name(io::JsonValue node);
/// True for in-place ops such as "aten.add_.Tensor", whose names end with a single underscore.
bool works_in_place(std::string_view target);
/// Returns the name of the first tensor among a node's arguments, of which others are views.
std::string_view first_tensor(io::JsonValue node);
/// Returns the graph that a node has as an argument, if any.
io::JsonValue subgraph_of(io::JsonValue node);

std::unordered_set<std::string_view> maybe_written(io::JsonValue graph);

}  // namespace sunmao::torch
