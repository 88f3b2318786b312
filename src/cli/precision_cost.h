// What a lower precision of products costs in accuracy: results compared with those of float32 on generated inputs.
#pragma once
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "io/json_writer.h"

namespace sunmao::cli {

/// A result whose elements are floats: the root of the mean square of its differences, relative to that of its
/// elements, and the greatest difference relative to the greatest magnitude.
struct ResultCost {
  std::string name;
  double rms = 0, greatest = 0;
};

struct PrecisionCost {
  std::vector<ResultCost> results = {};
  std::string reason = {};  // why nothing was measured; empty where it was
};

/// Compiles the model in float32, and runs that and `artifact`, which `options` made, once on the same inputs. Sizes
/// that are symbols are the smallest.
PrecisionCost precision_cost(const Model& model, const CompileOptions& options, const io::Bytes& artifact);

std::string cost_text(const PrecisionCost& cost);
void write_cost(io::JsonWriter& w, const PrecisionCost& cost);

}  // namespace sunmao::cli
