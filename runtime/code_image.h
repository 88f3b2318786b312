// CodeImage: compiled kernels loaded into executable memory.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/kernel.h"
#include "io/status.h"
#include "runtime/elf_image.h"

namespace sunmao::runtime {

/// The file that contains an image, so that its pages can be mapped and shared. Without one (`fd` < 0) they are copied.
struct ImageFile {
  int fd = -1;
  uint64_t offset = 0;  // offset of the image in the file
};

/// Unmaps the address space of an image.
struct UnmapImage {
  uint64_t span = 0;  // bytes
  void operator()(std::byte* base) const;
};
using ImageMemory = std::unique_ptr<std::byte, UnmapImage>;

class CodeImage {
 public:
  enum class Source : uint8_t { Mapped, Copied };

  /// Checks `bytes` (see read_elf_image) and loads them: mapped from `file` where possible, else copied to memory that
  /// becomes executable after writing. E0859 when the system allows neither, E0910 when it has no memory for the copy.
  static io::Result<std::shared_ptr<const CodeImage>> load(std::span<const std::byte> bytes, uint32_t kernel_count,
                                                           ImageFile file);
  CodeImage(const CodeImage&) = delete;
  CodeImage& operator=(const CodeImage&) = delete;

  const std::vector<sunmao_kernel>& kernels() const { return kernels_; }
  /// Returns the scratch memory that a kernel needs on a thread, in bytes.
  uint32_t scratch_bytes() const { return elf_.scratch_bytes; }
  Source source() const { return source_; }
  /// Returns the end of the code segment that contains `address`, or `address` itself when none does; for profilers.
  uint64_t code_end(uint64_t address) const;

 private:
  CodeImage(ElfImage elf, ImageMemory memory, Source source);

  ElfImage elf_;
  ImageMemory memory_;
  Source source_;
  std::vector<sunmao_kernel> kernels_;
};

/// Appends the kernels to /tmp/perf-<pid>.map, in which `perf` looks up names of generated code, if SUNMAO_PERF_MAP=1
/// is set in the environment.
void write_perf_map(const CodeImage& image, const std::vector<std::string_view>& names);

}  // namespace sunmao::runtime
