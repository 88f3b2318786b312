// Signature: a function as callers see it: inputs and outputs, which are the parameters and results that are not bound
// to weights or states.
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
  std::vector<uint32_t> input_of_param;  // kNone for a parameter bound to a weight or a state
  bool is_delivered = false;             // the outputs are delivered: their sizes are known when they are done
  std::vector<uint32_t> state_of_param;  // kNone for a parameter that is no state
  std::vector<uint32_t> states_given;    // those that results are bound to, which follow the outputs, in order
};

Signature make_signature(const ProgramTables& tables, const FunctionView& function);

/// Returns what is known of a program's states: where functions have symbols for their sizes, these are symbols here,
/// with the range that all functions accept.
std::vector<SignatureValue> describe_states(const Program& program);

}  // namespace sunmao::runtime
