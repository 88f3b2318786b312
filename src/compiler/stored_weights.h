// StoredWeights: the weights in an artifact's memory, found by where they are or by what they hold.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "io/bytes.h"
#include "io/safetensors.h"
#include "ir/module.h"

namespace sunmao {

class StoredWeights {
 public:
  /// An artifact without weights has none; fails (E081x, E083x) for bytes that are no artifact.
  explicit StoredWeights(const io::Bytes& artifact);

  /// Returns the name of the weight that has this memory.
  std::optional<std::string> name_at(std::span<const std::byte> data) const;
  /// Returns a weight equal to `array`, as an array in the artifact's memory.
  std::optional<Array> equal_to(const Array& array) const;
  const std::vector<io::StoredTensor>& tensors() const { return tensors_; }

 private:
  std::vector<io::StoredTensor> tensors_;  // in order of their data
};

/// Returns the module with constants in the memory of the artifact that was compiled from it, so that their data is in
/// memory once. Constants that the artifact does not have as weights stay as they are.
Module with_stored_constants(const Module& module, const io::Bytes& artifact);

}  // namespace sunmao
