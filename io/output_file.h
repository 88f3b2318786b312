// OutputFile: a new file that takes the place of another one when it is complete.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "io/file_descriptor.h"
#include "io/status.h"
#include "io/unfinished_file.h"

namespace sunmao::io {

struct OutputOptions {
  /// The file's size, where it is known. A file that takes more than a tenth of the machine's memory, which is about
  /// where the system begins to hold back who writes, is written past the page cache if the file system can do so.
  uint64_t size = 0;
};

struct CommitOptions {
  bool sync = true;  // waits until the contents are on the disk, so that they survive a loss of power
};

/// Lies beside its target until `commit`; it is deleted without one, and by `remove_unfinished_files`, and the target
/// stays as it was. An existing target's permission bits are kept; a symbolic link at the path is followed.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path, OutputOptions options = {});
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  ~OutputFile();

  /// Writes at any offset; what is not written is zeros.
  Status write_at(uint64_t offset, std::span<const std::byte> data);
  Status commit(CommitOptions options = {});
  /// Commits several files: each takes its place once all are complete. When one cannot, those before it give theirs
  /// back, and all targets are as they were; on a file system without hard links, those before it stay.
  static Status commit_together(std::span<OutputFile> files, CommitOptions options = {});

 private:
  OutputFile(std::string path, std::string target) : path_(std::move(path)), target_(std::move(target)) {}
  Status failed(const char* step, int error) const;
  void open_past_cache();
  Status write_through_cache(uint64_t offset, std::span<const std::byte> data);
  Status write_past_cache(uint64_t offset, std::span<const std::byte> data);
  Status flush();
  Status complete(CommitOptions options);
  Status keep_old();
  Status take_place();
  void give_back();
  void forget_old();

  std::string path_, target_;  // as the caller names it; with links resolved
  std::string temporary_;
  UnfinishedFile unfinished_;  // notes the temporary file
  std::string old_;            // another name of what stood at the target, while that may come back
  UnfinishedFile noted_old_;
  FileDescriptor file_;
  FileDescriptor direct_;  // the same file, past the page cache; closed: everything goes through it
  std::unique_ptr<std::byte, void (*)(void*)> staged_{nullptr, free};  // what is written past the cache next
  uint64_t staged_begin_ = 0;
  size_t staged_size_ = 0;
  bool replaces_ = false;
  uint32_t old_mode_ = 0;
};

}  // namespace sunmao::io
