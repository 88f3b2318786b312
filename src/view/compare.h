// Which nodes of two graphs belong together, and what differs.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "view/graph.h"

namespace sunmao::view {

enum class Mark : uint8_t { Same, Changed, Alone };

struct NodeMatch {
  Mark mark = Mark::Alone;
  std::optional<size_t> other = {};                      // the node of the other graph
  std::vector<std::array<std::string, 3>> changes = {};  // what, here, there
  std::optional<double> difference = {};                 // of their values, relative to the largest magnitude
};

struct FunctionMatch {
  std::vector<NodeMatch> a, b;  // for each node
};

/// What is known of the value of a node: its size and some of its elements.
struct ValueSample {
  std::vector<int64_t> shape;
  std::vector<double> elements;
  double scale = 0;  // the largest magnitude
};
/// By node; absent where the value is not known.
using ValueSamples = std::vector<std::optional<ValueSample>>;
ValueSample sample_of(const Array& value);

/// Pairs the nodes of two functions: in order by their values where these are known, by their places in the model's
/// file, by the names of their values, then in order by op and type between pairs that are known. A pair is the same
/// when op, type and attributes are equal, but for the names of symbols, and its inputs are pairs.
FunctionMatch match(const GraphFunction& a, const GraphFunction& b, const ValueSamples& values_a = {},
                    const ValueSamples& values_b = {});

}  // namespace sunmao::view
