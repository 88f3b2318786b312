#include "support/array.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

int64_t element_bytes_of(DType dtype) { return dtype.bytes(); }

// Returns the number of elements; fails (E0317) on an invalid shape.
int64_t count_of(const std::vector<int64_t>& shape, DType dtype) {
  const std::string problem = shape_problem(shape, element_bytes_of(dtype));
  if (!problem.empty()) fail("E0317", {}, fmt::format("no tensor has the shape {}: {}", shape_text(shape), problem));
  return *shape_bytes(shape, 1);
}

// Returns the bytes of physical memory, or the largest number if unknown. A larger allocation may succeed, and the
// process be killed when it writes to the memory.
uint64_t physical_memory() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(size) : UINT64_MAX;
}

std::byte* allocate_zeroed(size_t bytes, const std::vector<int64_t>& shape) {
  constexpr size_t kAlign = 64;
  const size_t padded = std::max(kAlign, (bytes + kAlign - 1) / kAlign * kAlign);
  void* memory = padded <= physical_memory() ? std::aligned_alloc(kAlign, padded) : nullptr;
  if (!memory)
    fail("E0910", {}, fmt::format("not enough memory: an array of shape {} takes {} bytes", shape_text(shape), bytes));
  std::memset(memory, 0, padded);
  return static_cast<std::byte*>(memory);
}

}  // namespace

Array Array::wrap(DType dtype, std::vector<int64_t> shape, const std::byte* data, std::shared_ptr<const void> owner) {
  static const std::byte nothing{};
  Array a;
  a.dtype_ = dtype;
  a.shape_ = std::move(shape);
  count_of(a.shape_, dtype);
  a.data_ = data ? data : &nothing;
  a.owner_ = std::move(owner);
  return a;
}

Array Array::copy(DType dtype, const std::vector<int64_t>& shape, std::span<const std::byte> bytes) {
  ArrayBuilder builder(dtype, shape);
  const int64_t wanted = *shape_bytes(shape, element_bytes_of(dtype));
  SUNMAO_CHECK(std::cmp_equal(wanted, bytes.size()), "{} bytes for an array of {}", bytes.size(), wanted);
  if (!bytes.empty()) std::memcpy(builder.data(), bytes.data(), bytes.size());
  return std::move(builder).finish();
}

Array Array::from_floats(std::vector<int64_t> shape, std::span<const float> values) {
  return copy(DType::float_(32), shape, std::as_bytes(values));
}

Array Array::from_ints(std::vector<int64_t> shape, std::span<const int64_t> values) {
  return copy(DType::int_(64), shape, std::as_bytes(values));
}

int64_t Array::count() const { return data_ ? *shape_bytes(shape_, 1) : 0; }

bool operator==(const Array& a, const Array& b) {
  if (a.dtype_ != b.dtype_ || a.shape_ != b.shape_ || (a.data_ == nullptr) != (b.data_ == nullptr)) return false;
  return a.data_ == b.data_ || std::memcmp(a.data_, b.data_, a.size_bytes()) == 0;
}

ArrayBuilder::ArrayBuilder(DType dtype, std::vector<int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)), count_(count_of(shape_, dtype)) {
  const auto bytes = static_cast<size_t>(*shape_bytes(shape_, element_bytes_of(dtype)));
  data_ = std::shared_ptr<std::byte>(allocate_zeroed(bytes, shape_), [](std::byte* p) { std::free(p); });
}

Array ArrayBuilder::finish() && {
  const std::byte* data = data_.get();
  return Array::wrap(dtype_, std::move(shape_), data, std::move(data_));
}

}  // namespace sunmao
