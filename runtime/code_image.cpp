#include "runtime/code_image.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "io/concat.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::Status;

uint64_t page_of(uint64_t address) { return address / kPageSize * kPageSize; }

int protection(const ElfSegment& s) {
  return PROT_READ | (s.is_writable ? PROT_WRITE : 0) | (s.is_executable ? PROT_EXEC : 0);
}

/// Reserves inaccessible address space for the whole image; null on failure.
ImageMemory reserve(uint64_t span) {
  void* base = ::mmap(nullptr, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return {base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base), UnmapImage{span}};
}

/// Maps private memory at [from, from + size), both page-aligned.
bool map_memory(std::byte* from, uint64_t size, int prot) {
  if (size == 0) return true;
  return ::mmap(from, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/// Maps the pages of one segment from the file and zero-fills the rest.
bool map_segment(std::byte* base, const ElfSegment& s, ImageFile file) {
  const uint64_t start = page_of(s.address);
  const uint64_t skew = s.address - start;
  const uint64_t file_pages = s.file_size == 0 ? 0 : page_of(skew + s.file_size + kPageSize - 1);
  if (file_pages > 0) {
    const auto offset = static_cast<off_t>(file.offset + s.offset - skew);
    if (::mmap(base + start, file_pages, protection(s), MAP_PRIVATE | MAP_FIXED, file.fd, offset) == MAP_FAILED)
      return false;
  }
  const uint64_t all_pages = page_of(skew + s.memory_size + kPageSize - 1);
  if (!map_memory(base + start + file_pages, all_pages - file_pages, protection(s))) return false;
  if (s.is_writable && file_pages > 0)
    std::memset(base + s.address + s.file_size, 0, start + file_pages - s.address - s.file_size);
  return true;
}

/// Copies one segment to private memory, then sets its protection.
bool copy_segment(std::byte* base, const ElfSegment& s, std::span<const std::byte> bytes) {
  const uint64_t start = page_of(s.address);
  const uint64_t size = page_of(s.address - start + s.memory_size + kPageSize - 1);
  if (!map_memory(base + start, size, PROT_READ | PROT_WRITE)) return false;
  std::memcpy(base + s.address, bytes.data() + s.offset, s.file_size);
  return ::mprotect(base + start, size, protection(s)) == 0;
}

/// Returns null, with errno set, on failure.
template <class Place>
ImageMemory place_all(const ElfImage& elf, Place place) {
  ImageMemory memory = reserve(elf.span);
  if (!memory) return memory;
  for (const ElfSegment& segment : elf.segments) {
    if (place(memory.get(), segment)) continue;
    const int reason = errno;
    memory.reset();
    errno = reason;
    break;
  }
  return memory;
}

Status no_code_memory(int reason, uint64_t bytes) {
  if (reason == ENOMEM)
    return Status::error("E0910", concat("code image: the system does not give ", bytes, " bytes of memory"),
                         "free memory, or raise the process's limit (`ulimit -v`)");
  return Status::error("E0859",
                       concat("code image: the system gives no executable memory (", ::strerrordesc_np(reason), ")"),
                       "put the file on a file system that is not mounted `noexec`, or allow the process to map "
                       "executable memory");
}

/// True when the image starts at a page boundary of an open file.
bool can_map(ImageFile file) { return file.fd >= 0 && file.offset % kPageSize == 0; }

}  // namespace

io::Result<std::shared_ptr<const CodeImage>> CodeImage::load(std::span<const std::byte> bytes, uint32_t kernel_count,
                                                             ImageFile file) {
  io::Result<ElfImage> elf = read_elf_image(bytes, kernel_count);
  if (!elf.ok()) return elf.status();
  if (can_map(file)) {
    // Mapping fails on file systems mounted `noexec`, and under some security modules.
    ImageMemory memory = place_all(*elf, [&](std::byte* to, const ElfSegment& s) { return map_segment(to, s, file); });
    if (memory) return std::shared_ptr<const CodeImage>(new CodeImage(elf.take(), std::move(memory), Source::Mapped));
  }
  ImageMemory memory = place_all(*elf, [&](std::byte* to, const ElfSegment& s) { return copy_segment(to, s, bytes); });
  if (!memory) return no_code_memory(errno, elf->span);
  return std::shared_ptr<const CodeImage>(new CodeImage(elf.take(), std::move(memory), Source::Copied));
}

CodeImage::CodeImage(ElfImage elf, ImageMemory memory, Source source)
    : elf_(std::move(elf)), memory_(std::move(memory)), source_(source) {
  for (const uint64_t address : elf_.kernels)
    kernels_.push_back(reinterpret_cast<sunmao_kernel>(memory_.get() + address));
}

void UnmapImage::operator()(std::byte* base) const { ::munmap(base, span); }

uint64_t CodeImage::code_end(uint64_t address) const {
  const uint64_t relative = address - reinterpret_cast<uintptr_t>(memory_.get());
  for (const ElfSegment& s : elf_.segments)
    if (s.is_executable && relative >= s.address && relative - s.address < s.file_size)
      return address + (s.file_size - (relative - s.address));
  return address;
}

}  // namespace sunmao::runtime
