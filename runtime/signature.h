// Signature: a function as callers see it: inputs (the parameters that are not bound to weights) and outputs.
#pragma once
#include <string>
#include <vector>

#include "runtime/program.h"
#include "sunmao/runtime.h"

namespace sunmao::runtime {

struct SignatureValue {
  std::string name;
  std::string dtype_name;
  abi::ElementType type;
  std::vector<sunmao_dim> dims;  // symbols point into the program
  bool holds_sizes = false;      // an int64 tensor of rank 1, whose elements are `sizes`
  std::vector<sunmao_dim> sizes = {};

  /// Returns the sizes that it tells the function.
  const std::vector<sunmao_dim>& told() const { return holds_sizes ? sizes : dims; }
  std::vector<sunmao_dim>& told() { return holds_sizes ? sizes : dims; }
};

struct Signature {
  std::string name;
  std::vector<SignatureValue> inputs;
  std::vector<SignatureValue> outputs;
  std::vector<uint32_t> input_of_param;  // kNone for a parameter bound to a weight
  bool is_delivered = false;             // other functions make the outputs, whose sizes are known when they are done
};

Signature make_signature(const ProgramTables& tables, const FunctionView& function);

}  // namespace sunmao::runtime
