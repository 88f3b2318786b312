// Safetensors files: named tensors, read in place and written in aligned pieces.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/bytecode.h"
#include "io/bytes.h"
#include "io/status.h"

namespace sunmao::io {

/// A tensor in row-major order. In a file by another writer `data` may be misaligned, even for its element size.
struct StoredTensor {
  std::string name;
  abi::ElementType type;
  std::vector<int64_t> shape;
  Bytes data;
};

using StringPairs = std::vector<std::pair<std::string, std::string>>;

/// Returns the dtype name ("F32", "BF16", "F8_E4M3", …), or nullptr when safetensors has none.
const char* safetensors_dtype(abi::ElementType type);

/// Type and shape under which a tensor stands in a file.
struct StoredForm {
  abi::ElementType type;
  std::vector<int64_t> shape;
};

/// Returns the form of a tensor in files that Sunmao writes: itself where safetensors has a name for the type. Other
/// types of a byte become uint8 of the same shape. Packed elements (abi/packed_elements.h) become a vector of their
/// bytes, also those with a name where they do not fill whole bytes, which the format does not allow.
StoredForm form_in_safetensors(abi::ElementType type, std::span<const int64_t> shape);

/// Validates the file on opening: the header is bounded and well formed, each tensor's size matches its shape and type,
/// and the tensors cover the data without gaps or overlaps.
class SafetensorsReader {
 public:
  static Result<SafetensorsReader> open(Bytes file);

  /// Returns the tensors in order of their data (those with the same range, which are empty, by name), without padding
  /// entries (`__pad.N`).
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(std::string_view name) const;
  const StringPairs& metadata() const { return metadata_; }

 private:
  void sort_names();

  std::vector<StoredTensor> tensors_;
  std::vector<uint32_t> by_name_;  // indices of tensors_, sorted by name
  StringPairs metadata_;
};

/// Where the parts of a file go.
struct SafetensorsPlan {
  std::string head;
  std::vector<uint64_t> offsets;  // of each tensor's data in the file; gaps between them are zeros
  uint64_t size;                  // of the file
};

/// Plans the file that `write_safetensors` makes; the tensors need no data.
Result<SafetensorsPlan> plan_safetensors(const std::vector<StoredTensor>& tensors, const StringPairs& metadata = {});

/// Returns a file with the tensors in the given order, each at a multiple of 64 bytes, with padding entries where
/// needed. Tensor data is included by reference. Each tensor's data must have the size that its type and shape imply;
/// names must be unique, UTF-8, and other than `__metadata__` and `__pad.…`.
Result<Chunks> write_safetensors(const std::vector<StoredTensor>& tensors, const StringPairs& metadata = {});

}  // namespace sunmao::io
