// The weights of a model, used in place where their data is aligned.
#pragma once
#include <memory>
#include <vector>

#include "io/bytes.h"
#include "io/status.h"
#include "runtime/arena.h"
#include "runtime/program.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

/// The data of a weight in a file, and the alignment that it must have.
struct FoundWeight {
  uint32_t weight;
  io::Bytes data;
  uint64_t alignment;
};

class Weights {
 public:
  explicit Weights(size_t count) : tensors_(count), is_there_(count), owners_(count), copies_(count) {}

  /// Returns the weights in the order of the program's records; one that no entry function uses may be absent (see
  /// `has`).
  const std::vector<Tensor>& tensors() const { return tensors_; }
  bool has(size_t weight) const { return is_there_[weight]; }

  /// Uses the data in place, or a copy when it is misaligned.
  io::Status use(const FoundWeight& found);
  /// Removes a weight that will not be read again and frees its memory. Memory from reserve() is not freed: the weights
  /// of one call share it.
  void drop(uint32_t weight);
  /// Allocates memory for weights to be made.
  io::Status reserve(const ProgramTables& tables, const std::vector<uint32_t>& weights);

 private:
  std::vector<Tensor> tensors_;
  std::vector<bool> is_there_;
  std::vector<io::Bytes> owners_;
  std::vector<std::unique_ptr<Arena>> copies_;
  std::vector<std::unique_ptr<Arena>> made_;
};

}  // namespace sunmao::runtime
