// HostRun: what one run of a model has of the program that runs it: objects, functions and errors.
#pragma once
#include <optional>
#include <vector>

#include "eval/host_function.h"
#include "sunmao/runtime.h"
#include "support/diagnostic.h"

namespace sunmao::python {

/// Values that the model knows by a handle. They live until the run ends.
class Objects {
 public:
  uint64_t add(Value value) {
    values_.push_back(std::move(value));
    return values_.size();
  }
  /// E0037 for a number that is no handle of this run.
  const Value& at(uint64_t handle) const {
    if (handle == 0 || handle > values_.size()) fail("E0037", {}, "an object of another run, or of none");
    return values_[handle - 1];
  }

 private:
  std::vector<Value> values_;
};

struct HostRun {
  Objects objects = {};
  std::vector<Value> tensors = {};       // those among the inputs, as which functions of the host get their memory
  FindHostFunction find = {};            // looks up functions that nobody has registered; empty: there are none
  std::optional<UserError> raised = {};  // of a builtin; the run raises it
};

}  // namespace sunmao::python
