// A code image in memory, ready to be called.
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

/// The file that an image stands in, so that its pages can be mapped and shared; without one (`fd` < 0) they are
/// copied.
struct ImageFile {
  int fd = -1;
  uint64_t offset = 0;  // of the image in the file
};

class CodeImage {
 public:
  enum class Source : uint8_t { Mapped, Copied };

  /// Checks `bytes` and brings them to memory: mapped from `file` where possible, else copied to memory that is made
  /// executable after writing. E0859 when the system allows neither.
  static io::Result<std::shared_ptr<const CodeImage>> load(std::span<const std::byte> bytes, uint32_t kernel_count,
                                                           ImageFile file);
  CodeImage(const CodeImage&) = delete;
  CodeImage& operator=(const CodeImage&) = delete;
  ~CodeImage();

  const std::vector<sunmao_kernel>& kernels() const { return kernels_; }
  Source source() const { return source_; }
  /// Where the code segments are: for profilers.
  uint64_t code_end(uint64_t address) const;

 private:
  CodeImage(const ElfImage& elf, std::byte* base, Source source);

  ElfImage elf_;
  std::byte* base_;
  Source source_;
  std::vector<sunmao_kernel> kernels_;
};

/// With SUNMAO_PERF_MAP=1 in the environment: appends the kernels to /tmp/perf-<pid>.map, where `perf` looks for names
/// of code that has no file of its own.
void write_perf_map(const CodeImage& image, const std::vector<std::string_view>& names);

}  // namespace sunmao::runtime
