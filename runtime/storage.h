// Storage and Tensor: the location of a tensor's bytes. Not a pointer, since on some devices memory is an opaque
// handle.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sunmao::runtime {

enum class DeviceKind : uint8_t { Cpu };

struct Device {
  DeviceKind kind = DeviceKind::Cpu;
  uint16_t index = 0;
};

inline constexpr uint32_t kNoBlock = UINT32_MAX;

struct Storage {
  Device device;
  uint32_t block = kNoBlock;  // the block (runtime/blocks.h) that it is in
  uintptr_t handle = 0;       // on the CPU: an address
  uint64_t offset = 0;        // in bytes

  Storage at(uint64_t bytes) const { return {device, block, handle, offset + bytes}; }
};

/// A tensor in the machine: contiguous and row-major.
struct Tensor {
  Storage storage;
  uint64_t bytes = 0;
};

inline Storage cpu_storage(uintptr_t address) { return {{}, kNoBlock, address, 0}; }
/// Returns storage at an address; kernels may write to it only if the memory is writable.
inline Storage cpu_storage(const void* address) { return cpu_storage(reinterpret_cast<uintptr_t>(address)); }
inline void* cpu_address(const Storage& storage) {
  return reinterpret_cast<void*>(storage.handle + static_cast<uintptr_t>(storage.offset));
}

}  // namespace sunmao::runtime
