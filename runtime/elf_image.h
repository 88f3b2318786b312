// Reads and checks a code image: an ELF64 shared object that needs no linking. It maps nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/status.h"

namespace sunmao::runtime {

/// A part of the image that goes to memory.
struct ElfSegment {
  uint64_t address;  // relative to where the image is loaded
  uint64_t offset;   // in the image
  uint64_t file_size;
  uint64_t memory_size;  // what exceeds file_size is zero
  bool is_writable;
  bool is_executable;
};

struct ElfImage {
  std::vector<ElfSegment> segments;  // by address; no two of them share a page
  uint64_t span = 0;                 // bytes from address 0 to the end of the last segment, in whole pages
  uint64_t table = 0;                // address of the kernel table
  uint32_t kernel_count = 0;
  std::vector<uint64_t> kernels;  // their addresses, all inside the file's part of executable segments
};

inline constexpr uint64_t kPageSize = 4096;  // x86-64

/// Everything abi/kernel.h says of an image, checked on its bytes: E0857 for what is no proper image, E0858 for a
/// kernel table that does not have `kernel_count` kernels of this runtime's ABI.
io::Result<ElfImage> read_elf_image(std::span<const std::byte> file, uint32_t kernel_count);

}  // namespace sunmao::runtime
