// Weights that somebody gives for a model by name, in a file or in a dictionary: one rule for all ways in.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// A weight that a model takes.
struct ModelWeight {
  std::string name;  // of the parameter
  std::string own;   // in the model's file; empty where it is the same
  Type type;
};

/// The raw weights of all entry points, each once.
std::vector<ModelWeight> weights_of(const Module& module);

/// The model file's own names of parameters, where they are others (the attribute `weight_names`).
std::map<std::string, std::string> own_names(const Module& module);

/// Fails (E0521) when the data has another dtype or shape than the type says.
void check_weight(const std::string& name, const Type& type, const Array& data);

struct GivenWeights {
  const Weights& tensors;
  std::string origin;    // what messages call it
  bool is_file = false;  // a file may hold more than is needed where it holds all that is needed
};

/// Puts the given tensors in the place of the model's own weights, under the names of parameters. Fails (E0522) for
/// names that are not the model's, with the closest that are, and (E0521) for tensors that do not fit.
void take_weights(Model& model, const GivenWeights& given);

}  // namespace sunmao
