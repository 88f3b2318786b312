// AllocatedTensors: what the tensors hold that a function allocates itself, as its calls are followed in order. Tensors
// that lie in the same bytes of a storage take turns: the one written last holds something.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/expr.h"
#include "passes/analysis/size_bounds.h"

namespace sunmao {

/// A tensor that the program allocates, and the value that it holds now.
struct AllocatedTensor {
  std::string name;
  Type type;
  Ref<Var> storage = {};                                  // null: memory of its own
  Scalar begin = {}, end = {};                            // the bytes of the storage that it lies in
  Expr value = {};                                        // null where it holds nothing that can be read
  int version = 0;                                        // changes when its memory is written
  std::string lost = "before anything is written to it";  // why it holds nothing
  bool was_written = false;
  bool is_used_memory = false;  // something has been written there that `value` does not say
};

class AllocatedTensors {
 public:
  explicit AllocatedTensors(SizeBounds& bounds) : bounds_(bounds) {}

  /// Returns the number of the new tensor.
  size_t add(AllocatedTensor tensor);
  const AllocatedTensor& operator[](size_t i) const { return tensors_[i]; }
  size_t size() const { return tensors_.size(); }

  bool overlap(size_t a, size_t b);
  /// The tensor holds `value` from now on, and what shares bytes with it holds nothing.
  void write(size_t tensor, Expr value);
  /// What the tensor holds depends on which way a branch goes.
  void lose(size_t tensor, std::string why);

  using State = std::vector<AllocatedTensor>;
  State state() const { return tensors_; }
  /// Returns to a state from before; tensors that are newer stay known.
  void restore(const State& state);
  /// Adds what was done to memory on another way to here.
  void join(const State& other);

 private:
  bool is_behind(size_t a, size_t b);

  SizeBounds& bounds_;
  std::vector<AllocatedTensor> tensors_;
};

}  // namespace sunmao
