// Random quantised graphs, as quantisers write them: bytes are dequantised around convolutions and products, whose
// results are quantised again.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"
#include "support/array.h"

namespace sunmao {

/// How near numbers computed in float32 are to the real ones. Exact: they are the same. Close: off by a few roundings.
/// Loose: by those of functions such as a softmax as well.
enum class Accuracy : uint8_t { Exact, Close, Loose };

/// A value of a quantised graph that is compared: bytes that were rounded from real numbers, or numbers.
struct QuantisedStep {
  std::string text;
  Accuracy accuracy = Accuracy::Exact;
  bool is_rounded = false;  // otherwise numbers, or bytes that were only moved
  // Of what is rounded: the number of a step between bytes, the byte of 0, the lowest and the highest one.
  double scale = 1;
  int64_t zero = 0, low = 0, high = 0;
  int scale_step = -1, zero_step = -1;  // the steps that compute scale and zero point, where the graph does
};

struct QuantisedGraph {
  /// Computes all steps, in their order.
  Module every;
  /// Computes only the steps that are results of the graph, so that the others may be fused.
  Module results;
  /// Computes in float64 the real numbers of each step from the inputs and from the values of the steps before, which
  /// are parameters: one step's difference does not make another one.
  Module reference;
  std::string style;
  std::vector<Array> inputs, weights;  // of `every` and `results`
  std::vector<QuantisedStep> steps;
  std::vector<size_t> fed;           // the steps that `reference` takes, behind the inputs
  std::vector<size_t> result_steps;  // of `results`
  bool has_sums_of_floats = false;   // whose order shows in bits, such as means
  bool is_symbolic = false;
};

/// Returns the graph of a seed.
QuantisedGraph quantised_graph(uint64_t seed);

}  // namespace sunmao
