// HostRun: what one run of a model has of the program that runs it: objects, functions and errors.
#pragma once
#include <optional>
#include <vector>

#include "eval/host_function.h"
#include "sunmao/runtime.h"
#include "support/diagnostic.h"

namespace sunmao::python {

/// Values that the model knows by a handle. They live until the run ends, or says that it reads one no more.
class Objects {
 public:
  uint64_t add(Value value) {
    if (free_.empty()) {
      values_.push_back(std::move(value));
      return values_.size();
    }
    const uint64_t handle = free_.back();
    free_.pop_back();
    values_[handle - 1] = std::move(value);
    return handle;
  }
  /// Removes and returns a value.
  Value take(uint64_t handle) {
    Value value = at(handle);
    values_[handle - 1] = Value();
    free_.push_back(handle);
    return value;
  }
  /// E0037 for a number that is no handle of this run.
  const Value& at(uint64_t handle) const {
    if (handle == 0 || handle > values_.size()) fail("E0037", {}, "an object of another run, or of none");
    return values_[handle - 1];
  }

 private:
  std::vector<Value> values_;
  std::vector<uint64_t> free_;  // handles of values that were taken
};

struct HostRun {
  Objects objects = {};
  std::vector<Value> tensors = {};       // those among the inputs, as which functions of the host get their memory
  FindHostFunction find = {};            // looks up functions that nobody has registered; empty: there are none
  std::optional<UserError> raised = {};  // of a builtin; the run raises it
};

}  // namespace sunmao::python
