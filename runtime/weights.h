// The weights of a model, used where they are mapped.
#pragma once
#include <memory>
#include <vector>

#include "io/bytes.h"
#include "io/status.h"
#include "runtime/arena.h"
#include "runtime/program.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

/// Data of a weight where it was found, and the alignment that its readers ask for.
struct FoundWeight {
  uint32_t weight;
  io::Bytes data;
  uint64_t alignment;
};

class Weights {
 public:
  explicit Weights(size_t count) : tensors_(count), is_there_(count), owners_(count), copies_(count) {}

  /// In the order of the program's weight records. One that no function of the caller's takes may be absent.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  bool has(size_t weight) const { return is_there_[weight]; }

  /// Uses the data where it is, or a copy when it is not aligned.
  io::Status use(const FoundWeight& found);
  /// Lets go of a weight that nothing reads any more.
  void drop(uint32_t weight);
  /// Memory for weights that are about to be made.
  io::Status reserve(const ProgramTables& tables, const std::vector<uint32_t>& weights);

 private:
  std::vector<Tensor> tensors_;
  std::vector<bool> is_there_;
  std::vector<io::Bytes> owners_;
  std::vector<std::unique_ptr<Arena>> copies_;
  std::vector<std::unique_ptr<Arena>> made_;
};

}  // namespace sunmao::runtime
