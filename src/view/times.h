// Times of a profile, given to the nodes of a graph.
#pragma once
#include "io/json.h"
#include "view/graph.h"

namespace sunmao::view {

/// Gives each node the seconds of a run that the profile (docs/command_line.md) has for its call: by the number of the
/// kernel call in its function where kernel and number agree, else by the place in the model's file. Returns the share
/// of the profile's time in kernels that nodes got.
double add_times(Graph& graph, const io::JsonValue& profile);

}  // namespace sunmao::view
