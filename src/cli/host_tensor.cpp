#include "cli/host_tensor.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

#include "eval/element.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao::cli {
namespace {

constexpr size_t kAlignment = 64;

// Returns the bytes of a tensor; nullopt when they exceed the machine's memory.
std::optional<size_t> size_of(DType dtype, const std::vector<int64_t>& shape) {
  const int64_t memory = int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGE_SIZE)};
  const std::optional<int64_t> size = shape_bytes(shape, dtype);
  if (!size || *size > memory) return std::nullopt;
  return static_cast<size_t>(*size);
}

}  // namespace

HostTensor::HostTensor(DType dtype, std::vector<int64_t> shape)
    : dtype_(dtype), shape_(std::make_shared<std::vector<int64_t>>(std::move(shape))) {
  const std::optional<size_t> size = size_of(dtype, *shape_);
  if (!size)
    fail("E0002", {},
         fmt::format("a {} tensor of shape ({}) does not fit into memory", dtype.str(), fmt::join(*shape_, ", ")));
  const size_t rounded = (std::max<size_t>(*size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
  if (!memory) throw std::bad_alloc();
  data_ = std::shared_ptr<std::byte>(memory, [](std::byte* p) { std::free(p); });
  std::memset(memory, 0, rounded);
}

HostTensor HostTensor::copy_of(DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes) {
  HostTensor out(dtype, std::move(shape));
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

int64_t HostTensor::count() const {
  int64_t n = 1;
  for (int64_t d : *shape_) n *= d;
  return n;
}

DLTensor HostTensor::view() const {
  return {.data = data_.get(),
          .device = {kDLCPU, 0},
          .ndim = static_cast<int32_t>(shape_->size()),
          .dtype = {static_cast<uint8_t>(dtype_.code), dtype_.bits, dtype_.lanes},
          .shape = shape_->data(),
          .strides = nullptr,
          .byte_offset = 0};
}

Array HostTensor::array() const { return Array::wrap(dtype_, *shape_, data_.get(), data_); }

void fill_random(const HostTensor& tensor, uint64_t seed) {
  std::mt19937_64 random(seed);
  const DType dtype = tensor.dtype();
  for (int64_t i = 0; i < tensor.count(); ++i) {
    Number value;
    if (dtype.is_float())
      value.f = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;  // 53 random bits in [0, 2), minus 1
    else
      value.i = static_cast<int64_t>(random() % (dtype.is_bool() ? 2 : 10));
    store_element(dtype, tensor.data(), i, value);
  }
}

}  // namespace sunmao::cli
