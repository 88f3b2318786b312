#include "support/array.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

// Returns the number of elements; fails (E0317) on an invalid shape.
int64_t count_of(const std::vector<int64_t>& shape, DType dtype) {
  const std::string problem = shape_problem(shape, dtype);
  if (!problem.empty()) fail("E0317", {}, fmt::format("no tensor has the shape {}: {}", shape_text(shape), problem));
  return *shape_count(shape);
}

bool has_unused_bits_set(DType dtype, int64_t count, const std::byte* data) {
  const uint8_t unused = abi::unused_bits(static_cast<uint64_t>(dtype.stored_bits()), static_cast<uint64_t>(count));
  return unused != 0 && (std::to_integer<uint8_t>(data[dtype.bytes_of(count) - 1]) & unused) != 0;
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

Array Array::wrap(DType dtype, std::vector<int64_t> shape, const std::byte* data, std::shared_ptr<const void> owner,
                  int64_t offset) {
  static const std::byte nothing{};
  Array a;
  a.dtype_ = dtype;
  a.shape_ = std::move(shape);
  const int64_t count = count_of(a.shape_, dtype);
  if (count > 0 && has_unused_bits_set(dtype, count, data))
    return copy(dtype, a.shape_, {data, static_cast<size_t>(dtype.bytes_of(count))});
  a.data_ = data ? data : &nothing;
  a.offset_ = offset;
  a.owner_ = std::move(owner);
  return a;
}

Array Array::copy(DType dtype, const std::vector<int64_t>& shape, std::span<const std::byte> bytes) {
  ArrayBuilder builder(dtype, shape);
  const int64_t wanted = dtype.bytes_of(builder.count());
  SUNMAO_CHECK(std::cmp_equal(wanted, bytes.size()), "{} bytes for an array of {}", bytes.size(), wanted);
  if (!bytes.empty()) std::memcpy(builder.data(), bytes.data(), bytes.size());
  abi::clear_unused_bits(builder.data(), static_cast<uint64_t>(dtype.stored_bits()),
                         static_cast<uint64_t>(builder.count()));
  return std::move(builder).finish();
}

Array Array::from_floats(std::vector<int64_t> shape, std::span<const float> values) {
  return copy(DType::float_(32), shape, std::as_bytes(values));
}

Array Array::from_ints(std::vector<int64_t> shape, std::span<const int64_t> values) {
  return copy(DType::int_(64), shape, std::as_bytes(values));
}

int64_t Array::count() const { return data_ ? *shape_count(shape_) : 0; }

bool operator==(const Array& a, const Array& b) {
  if (a.dtype_ != b.dtype_ || a.shape_ != b.shape_ || (a.data_ == nullptr) != (b.data_ == nullptr)) return false;
  return a.data_ == b.data_ || std::memcmp(a.data_, b.data_, a.size_bytes()) == 0;
}

ArrayBuilder::ArrayBuilder(DType dtype, std::vector<int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)), count_(count_of(shape_, dtype)) {
  const auto bytes = static_cast<size_t>(dtype.bytes_of(count_));
  data_ = std::shared_ptr<std::byte>(allocate_zeroed(bytes, shape_), [](std::byte* p) { std::free(p); });
}

Array ArrayBuilder::finish() && {
  const std::byte* data = data_.get();
  return Array::wrap(dtype_, std::move(shape_), data, std::move(data_));
}

}  // namespace sunmao
