// Weights given by name, in a file or a dictionary: the matching of names, shared by all interfaces.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// A weight that a model takes.
struct ModelWeight {
  std::string name;  // name of the parameter
  std::string own;   // name in the model's file; empty if it is the same
  Type type;
};

/// Returns the raw weights of all entry points without duplicates.
std::vector<ModelWeight> weights_of(const Module& module);

/// Maps parameters to their names in the model's file, if these differ (the attribute `weight_names`).
std::map<std::string, std::string> own_names(const Module& module);

/// Fails (E0521) when the data has another dtype or shape than the type, as far as the type states them.
void check_weight(const std::string& name, const Type& type, const Array& data);

struct GivenWeights {
  const Weights& tensors;
  std::string origin;    // the source's name in messages
  bool is_file = false;  // a file may contain additional tensors if it contains all weights
};

/// Replaces the model's weights by the given tensors, under parameter names. E0522 for names that are not the model's
/// (in a file only when it also lacks weights of the model), with similar names if there are any; E0521 for tensors
/// that do not fit.
void take_weights(Model& model, const GivenWeights& given);

}  // namespace sunmao
