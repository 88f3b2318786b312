// The weights of a model: found by name, checked against the program, used where they are mapped.
#pragma once
#include <vector>

#include "io/bytes.h"
#include "io/status.h"
#include "runtime/arena.h"
#include "runtime/program.h"
#include "runtime/storage.h"

namespace sunmao::runtime {

class Weights {
 public:
  /// `file` is a safetensors file; tensors in it that the program does not know are left alone. One that does not lie
  /// at a multiple of 64 bytes in memory is copied. E0860 for a weight that is missing or of another type or shape.
  static io::Result<std::shared_ptr<const Weights>> open(const ProgramTables& tables, io::Bytes file);

  /// In the order of the program's weight records.
  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
  std::vector<io::Bytes> owners_;
  Arena copies_;
};

}  // namespace sunmao::runtime
