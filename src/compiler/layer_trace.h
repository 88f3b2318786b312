// The layers of a model: the tensors that `main` computes, each with where it comes from.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

struct Layer {
  std::string name;  // of the node in the file, or of the variable; the 2nd value of a node is `node#2`
  std::string node;  // of the node in the file where this is its last value; else empty
  std::string op;
  std::string place;  // node, module and line, as far as they are known
  Ref<Var> var;
  std::vector<size_t> layers;                            // those that it is computed from
  std::vector<Ref<Var>> params;                          // the parameters of `main` that it is computed from
  std::vector<std::pair<std::string, Array>> constants;  // the constants of its call, with what to call them
};

struct LayerTrace {
  Model model;         // `main` returns its own results, then the layers
  size_t results = 0;  // how many tensors the model's own results are
  std::vector<Layer> layers;
};

/// Lists the layers of a model whose types have a known rank and dtype; renamed ones once. Fails (E0003) when there is
/// no `main`.
LayerTrace trace_layers(const Model& model);

/// Returns the model with the value of one layer as its only result.
Model with_layer_alone(const Model& model, const Layer& layer);

/// The first element of an array that is NaN, or infinite.
struct NotFinite {
  int64_t index = 0;
  double value = 0;
};
std::optional<NotFinite> find_nan(const Array& array);
std::optional<NotFinite> find_infinity(const Array& array);

}  // namespace sunmao
