#include "io/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "io/concat.h"

namespace sunmao::io {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  Result<FileDescriptor> file = open_for_reading(path);
  if (!file.ok()) return file.status();
  return map(file.take(), path);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::map(FileDescriptor file, const std::string& name) {
  struct stat info{};
  if (fstat(file.get(), &info) != 0) {
    return Status::error("E0801", concat("cannot read ", quoted(name), ": ", strerror(errno)));
  }
  if (!S_ISREG(info.st_mode)) {
    return Status::error("E0802", concat(quoted(name), " is not a regular file"),
                         "give a file, not a folder, a pipe or a device");
  }
  const auto size = static_cast<size_t>(info.st_size);
  const std::shared_ptr<MappedFile> mapped(new MappedFile(std::move(file), size));
  if (size == 0) return std::shared_ptr<const MappedFile>(mapped);
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, mapped->fd(), 0);
  if (start == MAP_FAILED) {
    if (errno == ENOMEM)
      return Status::error("E0910", concat("no memory to map ", quoted(name), " (", size, " bytes)"),
                           "allow the process a larger address space (`ulimit -v`)");
    return Status::error("E0803", concat("cannot map ", quoted(name), " (", size, " bytes): ", strerror(errno)));
  }
  mapped->start_ = start;
  return std::shared_ptr<const MappedFile>(mapped);
}

MappedFile::~MappedFile() {
  if (start_ != nullptr) munmap(start_, size_);
}

std::optional<uint64_t> MappedFile::offset_of(std::span<const std::byte> part) const {
  const auto begin = std::bit_cast<uintptr_t>(start_);
  const auto at = std::bit_cast<uintptr_t>(part.data());
  if (start_ == nullptr || at < begin || at - begin > size_) return std::nullopt;
  if (part.size() > size_ - (at - begin)) return std::nullopt;
  return at - begin;
}

Bytes bytes_of(const std::shared_ptr<const MappedFile>& file) { return Bytes(file->span(), file); }

Result<Bytes> map_file(const std::string& path) {
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file.ok()) return file.status();
  return bytes_of(*file);
}

}  // namespace sunmao::io
