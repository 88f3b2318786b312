// Comparison of two models, such as two exports of one network: ops, weights, and the values that they compute.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// How often each op of a model occurs in the one and in the other.
std::map<std::string, std::pair<size_t, size_t>> count_ops(const Model& a, const Model& b);

/// A weight of either model. The names are those of the files.
struct WeightPair {
  std::string name_a, name_b;  // empty where the model has no such weight
  size_t bytes_a = 0, bytes_b = 0;
  bool is_reordered = false;  // the same numbers in another order, as a transposed matrix has
};

/// Pairs weights by their numbers. Each weight occurs once.
std::vector<WeightPair> pair_weights(const Model& a, const Model& b);

/// A value that `main` computes, and where in the file.
struct TracedValue {
  std::string op, place;
  Array data;
  std::string name = {};  // of its variable
};

/// The model with all tensors that `main` computes as further results, and what they are.
struct TracedModel {
  Model model;
  size_t results = 0;               // how many results the model itself has; they come first
  std::vector<TracedValue> values;  // of the further results, without data
};
/// Fails (E0003) when the module has no graph-level function `main`.
TracedModel traced(const Model& model);

/// Where the values of two models part.
struct Divergence {
  bool is_found = false;
  std::string last_a, last_b;    // the last layers that agree; empty when none does
  std::string first_a, first_b;  // the first ones that differ
  double largest = 0;            // the largest difference of the models' results, relative to their largest magnitude
};

/// Finds the first value of `a`, in order, after which no value of `b` has its numbers, in any order of the elements.
Divergence find_divergence(const std::vector<TracedValue>& a, const std::vector<TracedValue>& b);

/// Returns the largest difference of two results, relative to the largest magnitude in `a`; infinite when their shapes
/// or dtypes differ.
double relative_difference(const Array& a, const Array& b);

}  // namespace sunmao
