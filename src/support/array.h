// Array: an immutable n-dimensional value in host memory: weights, constants, the evaluator's inputs and outputs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/dtype.h"

namespace sunmao {

/// A contiguous row-major array. Its bytes may be shared with a mapped file or another library. Elements of less than a
/// byte are packed (abi/packed_elements.h), and unused bits of the last byte are 0: equal arrays have equal bytes.
class Array {
 public:
  Array() = default;
  /// Wraps bytes that `owner` keeps alive; `data` must hold all elements of `shape`. They are copied only where unused
  /// bits of the last byte are set. `offset` says how many bytes of the owner's memory precede `data`.
  static Array wrap(DType dtype, std::vector<int64_t> shape, const std::byte* data, std::shared_ptr<const void> owner,
                    int64_t offset = 0);
  /// Returns an array that owns a copy of `bytes`, which must be as many as `shape` takes.
  static Array copy(DType dtype, const std::vector<int64_t>& shape, std::span<const std::byte> bytes);
  static Array from_floats(std::vector<int64_t> shape, std::span<const float> values);
  static Array from_ints(std::vector<int64_t> shape, std::span<const int64_t> values);

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t count() const;
  size_t size_bytes() const { return static_cast<size_t>(dtype_.bytes_of(count())); }
  const std::byte* data() const { return data_; }
  int64_t offset() const { return offset_; }
  std::span<const std::byte> bytes() const { return {data_, size_bytes()}; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  /// Returns the elements as T, whose size must be that of the dtype. The elements of a packed dtype are read with
  /// `abi::load_bits`, or as numbers with `load_element`.
  template <class T>
  std::span<const T> as() const {
    return {static_cast<const T*>(static_cast<const void*>(data_)), size_bytes() / sizeof(T)};
  }
  explicit operator bool() const { return data_ != nullptr; }
  /// True when dtype, shape and bytes are equal.
  friend bool operator==(const Array& a, const Array& b);

 private:
  DType dtype_;
  std::vector<int64_t> shape_;
  const std::byte* data_ = nullptr;
  int64_t offset_ = 0;
  std::shared_ptr<const void> owner_;
};

/// Zeroed memory, aligned to 64 bytes, that may be written until it becomes an Array.
class ArrayBuilder {
 public:
  ArrayBuilder(DType dtype, std::vector<int64_t> shape);
  std::byte* data() { return data_.get(); }
  int64_t count() const { return count_; }
  template <class T>
  std::span<T> as() {
    return {static_cast<T*>(static_cast<void*>(data_.get())), static_cast<size_t>(dtype_.bytes_of(count_)) / sizeof(T)};
  }
  Array finish() &&;

 private:
  DType dtype_;
  std::vector<int64_t> shape_;
  int64_t count_;
  std::shared_ptr<std::byte> data_;
};

}  // namespace sunmao
