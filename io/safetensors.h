// Safetensors: named tensors in one file, read in place and written in aligned pieces.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/bytecode.h"
#include "io/bytes.h"
#include "io/status.h"

namespace sunmao::io {

/// A tensor in C order. In a file of foreign make `data` may be aligned to its element size or less.
struct StoredTensor {
  std::string name;
  abi::ElementType type;
  std::vector<int64_t> shape;
  Bytes data;
};

using StringPairs = std::vector<std::pair<std::string, std::string>>;

/// The dtype name ("F32", "BF16", "F8_E4M3", …), or nullptr when safetensors has none.
const char* safetensors_dtype(abi::ElementType type);

/// The type, or bytes (uint8) for elements of a byte each whose type safetensors has no name for.
abi::ElementType type_in_safetensors(abi::ElementType type);

/// Checks everything at once: the header is bounded and well formed, every tensor's shape times its element size is its
/// size, and the tensors cover the data without hole or overlap.
class SafetensorsReader {
 public:
  static Result<SafetensorsReader> open(Bytes file);

  /// In the order of their data in the file (empty ones by name), without padding entries (`__pad.N`).
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(std::string_view name) const;
  const StringPairs& metadata() const { return metadata_; }

 private:
  void sort_names();

  std::vector<StoredTensor> tensors_;
  std::vector<uint32_t> by_name_;  // indices of tensors_, sorted by name
  StringPairs metadata_;
};

/// A file with the tensors in the order given, each at a multiple of 64 bytes from the start of the file, with
/// padding entries where needed. Tensor data is in it by reference. Every tensor's data must be as long as its type
/// and shape say; names are unique, and `__metadata__` and `__pad.…` are taken.
Result<Chunks> write_safetensors(const std::vector<StoredTensor>& tensors, const StringPairs& metadata = {});

}  // namespace sunmao::io
