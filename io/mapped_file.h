// A whole regular file, mapped read-only. The mapping lives as long as any slice of it.
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

/// Pages are shared between processes. A file must not be cut short while it is mapped (touching a lost page raises
/// SIGBUS); write_file_atomically replaces files without doing that.
class MappedFile {
 public:
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  /// Maps a file that is open already; `name` is for messages.
  static Result<std::shared_ptr<const MappedFile>> map(FileDescriptor file, const std::string& name);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> span() const { return {static_cast<const std::byte*>(start_), size_}; }
  size_t size() const { return size_; }
  /// Open for as long as this object lives, so that its pages can be mapped another way; `dup` it to keep it longer.
  int fd() const { return file_.get(); }
  /// Where in the file `part` begins, or nothing when it is not a part of this mapping.
  std::optional<uint64_t> offset_of(std::span<const std::byte> part) const;

 private:
  MappedFile(FileDescriptor file, void* start, size_t size) : file_(std::move(file)), start_(start), size_(size) {}

  FileDescriptor file_;
  void* start_;  // nullptr for an empty file
  size_t size_;
};

/// The whole file, owned by the mapping.
Bytes bytes_of(const std::shared_ptr<const MappedFile>& file);

/// Opens and maps in one go.
Result<Bytes> map_file(const std::string& path);

}  // namespace sunmao::io
