// UnfinishedFile: notes a file that is to be removed when a signal ends the program before the file is complete.
#pragma once
#include <atomic>
#include <string>

namespace sunmao::io {

/// Notes a path as long as it exists. At most 64 are noted at a time, in all threads; further ones are not.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(const std::string& path);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  UnfinishedFile(const UnfinishedFile&) = delete;
  ~UnfinishedFile();

 private:
  std::atomic<char*>* slot_ = nullptr;
  char* path_ = nullptr;
};

/// Removes the files that are noted, and then the folders, if they are empty. It may be called in the handler of a
/// signal, after which the program has to end.
void remove_unfinished_files() noexcept;

}  // namespace sunmao::io
