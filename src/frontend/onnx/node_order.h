// The order in which the nodes of a graph are read.
#pragma once
#include <vector>

#include "frontend/onnx/proto.h"

namespace sunmao::onnx {

/// Returns the nodes' indices such that each comes behind those whose outputs it or its bodies use, and otherwise in
/// the order of the file. Nodes that use each other's outputs come last.
std::vector<size_t> data_flow_order(const std::vector<Node>& nodes);

}  // namespace sunmao::onnx
