// MappedFile: a regular file mapped read-only. The mapping lives as long as any slice of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/bytes.h"
#include "io/file_descriptor.h"
#include "io/status.h"

namespace sunmao::io {

/// Pages are shared between processes. A file must not be truncated while it is mapped (accessing a lost page raises
/// SIGBUS); write_file_atomically replaces files without truncation.
class MappedFile {
 public:
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  /// Maps an open file; `name` is for messages.
  static Result<std::shared_ptr<const MappedFile>> map(FileDescriptor file, const std::string& name);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> span() const { return {static_cast<const std::byte*>(start_), size_}; }
  size_t size() const { return size_; }
  /// Returns the descriptor, open as long as this object, so that pages can be mapped differently; `dup` it to keep it
  /// longer.
  int fd() const { return file_.get(); }
  /// Returns the file offset of `part`; absent when it is not inside this mapping.
  std::optional<uint64_t> offset_of(std::span<const std::byte> part) const;

 private:
  MappedFile(FileDescriptor file, size_t size) : file_(std::move(file)), size_(size) {}

  FileDescriptor file_;
  void* start_ = nullptr;  // stays so for an empty file
  size_t size_;
};

/// Returns the contents of the file, owned by the mapping.
Bytes bytes_of(const std::shared_ptr<const MappedFile>& file);

/// Opens and maps a file.
Result<Bytes> map_file(const std::string& path);

}  // namespace sunmao::io
