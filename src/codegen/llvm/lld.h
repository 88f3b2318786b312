// LLD inside the process, and the temporary files that it reads and writes.
#pragma once
#include <llvm/ADT/SmallString.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "io/unfinished_file.h"

namespace sunmao::llvm_codegen {

/// A temporary directory, which is removed at the end or when a signal ends the program; E1007 when there can be none.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  std::string file(const std::string& name);
  /// Writes pieces one after another to a file of this name, and returns its path; E1007 when it cannot be written.
  std::string write(const std::string& name, std::span<const std::span<const char>> pieces);

 private:
  llvm::SmallString<128> path_;
  std::vector<io::UnfinishedFile> noted_;
};

/// Runs `ld.lld` on these arguments, one run at a time in the process. Returns the linker's messages when it fails,
/// else an empty text.
std::string run_lld(const std::vector<std::string>& arguments);

}  // namespace sunmao::llvm_codegen
