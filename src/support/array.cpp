#include "support/array.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "support/diagnostic.h"

namespace sunmao {
namespace {

int64_t product(const std::vector<int64_t>& shape) {
  int64_t n = 1;
  for (int64_t d : shape) {
    SUNMAO_CHECK(d >= 0 && !__builtin_mul_overflow(n, d, &n), "array shape out of bounds");
  }
  return n;
}

}  // namespace

Array Array::wrap(DType dtype, std::vector<int64_t> shape, const std::byte* data, std::shared_ptr<const void> owner) {
  static const std::byte nothing{};
  Array a;
  a.dtype_ = dtype;
  a.shape_ = std::move(shape);
  product(a.shape_);
  a.data_ = data ? data : &nothing;
  a.owner_ = std::move(owner);
  return a;
}

Array Array::copy(DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes) {
  ArrayBuilder builder(dtype, std::move(shape));
  if (!bytes.empty()) std::memcpy(builder.data(), bytes.data(), bytes.size());
  Array a = std::move(builder).finish();
  SUNMAO_CHECK(a.size_bytes() == bytes.size());
  return a;
}

Array Array::from_floats(std::vector<int64_t> shape, std::span<const float> values) {
  return copy(DType::float_(32), std::move(shape), std::as_bytes(values));
}

Array Array::from_ints(std::vector<int64_t> shape, std::span<const int64_t> values) {
  return copy(DType::int_(64), std::move(shape), std::as_bytes(values));
}

int64_t Array::count() const { return data_ ? product(shape_) : 0; }

bool operator==(const Array& a, const Array& b) {
  if (a.dtype_ != b.dtype_ || a.shape_ != b.shape_ || (a.data_ == nullptr) != (b.data_ == nullptr)) return false;
  return a.data_ == b.data_ || std::memcmp(a.data_, b.data_, a.size_bytes()) == 0;
}

ArrayBuilder::ArrayBuilder(DType dtype, std::vector<int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)), count_(product(shape_)) {
  size_t bytes = static_cast<size_t>(count_) * static_cast<size_t>((dtype.bits + 7) / 8);
  size_t padded = std::max<size_t>(64, (bytes + 63) / 64 * 64);
  void* memory = std::aligned_alloc(64, padded);
  if (!memory) throw std::bad_alloc();
  std::memset(memory, 0, padded);
  data_ = std::shared_ptr<std::byte>(static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); });
}

Array ArrayBuilder::finish() && {
  const std::byte* data = data_.get();
  return Array::wrap(dtype_, std::move(shape_), data, std::move(data_));
}

}  // namespace sunmao
