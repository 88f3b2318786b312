// Reads and validates a code image: an ELF64 shared object that needs no linking. Maps nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/status.h"

namespace sunmao::runtime {

/// A loadable segment of the image.
struct ElfSegment {
  uint64_t address;  // relative to the load address
  uint64_t offset;   // in the image file
  uint64_t file_size;
  uint64_t memory_size;  // bytes beyond file_size are zero
  bool is_writable;
  bool is_executable;
};

struct ElfImage {
  std::vector<ElfSegment> segments;  // by address; no two of them share a page
  uint64_t span = 0;                 // bytes from address 0 to the end of the last segment, in whole pages
  uint64_t table = 0;                // address of the kernel table
  uint32_t kernel_count = 0;
  uint32_t scratch_bytes = 0;     // of a thread; a multiple of 64
  std::vector<uint64_t> kernels;  // addresses of the kernels, all in the file-backed part of executable segments
};

inline constexpr uint64_t kPageSize = 4096;  // x86-64

/// Checks a file against the rules of abi/kernel.h for an image. E0857 for an invalid image, E0851 for a kernel ABI
/// that this runtime does not support, E0858 when the kernel table is missing or has another count than `kernel_count`.
io::Result<ElfImage> read_elf_image(std::span<const std::byte> file, uint32_t kernel_count);

}  // namespace sunmao::runtime
