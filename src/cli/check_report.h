// What `sunmao check` found, as text and as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/layer_trace.h"
#include "eval/compare.h"

namespace sunmao::cli {

/// A layer whose numbers are others than the reference's.
struct LayerDifference {
  size_t layer = 0;
  Comparison comparison;
  std::vector<int64_t> shape;
  // The element that is shown: the one with the largest error, or the first that differs where that one is accepted.
  int64_t index = 0;
  double expected = 0, got = 0, error = 0;
  double tolerance = 0;   // for this element
  bool is_alone = false;  // it differs as the only result alone, not when all layers are kept
};

/// The first layer with NaN, or with an infinity, that is computed from values without one; or from an input, a weight
/// or a constant that has one.
struct LayerNotFinite {
  size_t layer = 0;
  NotFinite found;
  std::vector<int64_t> shape;
  std::string source;  // "weight `w`", where that one has it; empty: the layer makes it
};

struct CheckReport {
  std::string reference;  // "the evaluator", a file
  std::vector<Layer> layers;
  size_t compared = 0;          // layers
  size_t compared_results = 0;  // results of the model
  std::optional<LayerDifference> first;
  std::optional<std::string> results;  // how results differ where no layer does
  std::vector<LayerNotFinite> not_finite;
  std::optional<std::string> blamed;  // what --bisect found
  bool is_same() const { return !first && !results; }
};

std::string check_text(const CheckReport& report);
std::string check_json(const CheckReport& report);

}  // namespace sunmao::cli
