#include "codegen/llvm/lld.h"

#include <lld/Common/Driver.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>

#include "support/diagnostic.h"

LLD_HAS_DRIVER(elf)

namespace sunmao::llvm_codegen {

ScratchFolder::ScratchFolder() {
  std::error_code error = llvm::sys::fs::createUniqueDirectory("sunmao-link", path_);
  if (error)
    fail("E1007", {}, fmt::format("code generation: no folder for temporary files can be made: {}", error.message()),
         "set TMPDIR to a folder that can be written");
  noted_.emplace_back(std::string(path_));
}

ScratchFolder::~ScratchFolder() { llvm::sys::fs::remove_directories(path_); }

std::string ScratchFolder::file(const std::string& name) {
  std::string path = (llvm::Twine(path_) + "/" + name).str();
  noted_.emplace_back(path);
  return path;
}

std::string ScratchFolder::write(const std::string& name, std::span<const std::span<const char>> pieces) {
  const std::string path = file(name);
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error) {
    for (const std::span<const char> piece : pieces) out.write(piece.data(), piece.size());
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (error)
    fail("E1007", {}, fmt::format("code generation: `{}` cannot be written: {}", path, error.message()),
         "free some space, or set TMPDIR to a folder that can be written");
  return path;
}

std::string run_lld(const std::vector<std::string>& arguments) {
  std::vector<const char*> words = {"ld.lld"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  static std::mutex mutex;
  std::string text;
  llvm::raw_string_ostream messages(text);
  const std::lock_guard lock(mutex);
  static const lld::DriverDef kDrivers[] = {{lld::Gnu, &lld::elf::link}};
  const lld::Result result = lld::lldMain(words, messages, messages, kDrivers);
  SUNMAO_CHECK(result.canRunAgain, "the link failed: {}", text);
  return result.retCode == 0 ? std::string() : text;
}

}  // namespace sunmao::llvm_codegen
