#include "codegen/llvm/link.h"

#include <lld/Common/Driver.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>
#include <set>
#include <string>

#include "codegen/llvm/module_builder.h"
#include "codegen/llvm/op_objects.h"
#include "support/diagnostic.h"

LLD_HAS_DRIVER(elf)

namespace sunmao::llvm_codegen {
namespace {

// A temporary directory, since LLD reads and writes files.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error = llvm::sys::fs::createUniqueDirectory("sunmao-link", path_);
    if (error)
      fail("E1007", {}, fmt::format("code generation: no folder for temporary files can be made: {}", error.message()),
           "set TMPDIR to a folder that can be written");
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { llvm::sys::fs::remove_directories(path_); }
  std::string file(const char* name) const { return (llvm::Twine(path_) + "/" + name).str(); }

 private:
  llvm::SmallString<128> path_;
};

void write_file(const std::string& path, std::span<const char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error) {
    out.write(bytes.data(), bytes.size());
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (error)
    fail("E1007", {}, fmt::format("code generation: `{}` cannot be written: {}", path, error.message()),
         "free some space, or set TMPDIR to a folder that can be written");
}

std::vector<std::byte> read_image(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, false, false);
  SUNMAO_CHECK(buffer, "the linked image cannot be read");
  const auto* first = static_cast<const std::byte*>(static_cast<const void*>((*buffer)->getBufferStart()));
  return {first, first + (*buffer)->getBufferSize()};
}

// Tables, constants and code share one segment that is readable and executable; nothing is writable. Returns the
// linker's messages when it fails, else an empty text.
std::string run_linker(const std::vector<std::string>& objects, const std::string& image) {
  const std::string entry = fmt::format("--entry={}", kTableName);
  std::vector<const char*> args{"ld.lld",
                                "-shared",
                                "-m",
                                "elf_x86_64",
                                entry.c_str(),
                                "--no-rosegment",
                                "--hash-style=gnu",
                                "--build-id=none",
                                "--no-undefined",
                                "-Bsymbolic",
                                "--strip-all",
                                "--gc-sections",
                                "-z",
                                "rodynamic",
                                "-z",
                                "norelro",
                                "-z",
                                "noseparate-code",
                                "-z",
                                "max-page-size=4096",
                                "-z",
                                "nognustack",
                                "--threads=1",
                                "-o",
                                image.c_str()};
  for (const std::string& object : objects) args.push_back(object.c_str());
  static std::mutex mutex;
  std::string text;
  llvm::raw_string_ostream messages(text);
  const std::lock_guard lock(mutex);
  static const lld::DriverDef kDrivers[] = {{lld::Gnu, &lld::elf::link}};
  const lld::Result result = lld::lldMain(args, messages, messages, kDrivers);
  SUNMAO_CHECK(result.canRunAgain, "the link failed: {}", text);
  return result.retCode == 0 ? std::string() : text;
}

struct Symbols {
  std::set<std::string> used = {}, defined = {};

  std::set<std::string> imports() const {
    std::set<std::string> out = used;
    std::erase_if(out, [&](const std::string& name) { return defined.contains(name); });
    return out;
  }
};

/// Adds the symbols of an object, except the global offset table.
void add_symbols(llvm::StringRef object, Symbols& to) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernels.o"));
  SUNMAO_CHECK(static_cast<bool>(file), "the object file is damaged");
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    SUNMAO_CHECK(static_cast<bool>(flags) && static_cast<bool>(name), "the object file is damaged");
    if (name->empty() || *name == "_GLOBAL_OFFSET_TABLE_") continue;
    (*flags & llvm::object::SymbolRef::SF_Undefined ? to.used : to.defined).insert(name->str());
  }
}

}  // namespace

std::set<std::string> imports_of(std::span<const OpObject> objects) {
  Symbols symbols;
  for (const OpObject& object : objects) add_symbols(text_of(object.data.span()), symbols);
  return symbols.imports();
}

std::vector<std::byte> link_image(std::span<const Object> objects, std::span<const OpObject> ops) {
  Symbols own, all;
  for (const Object& object : objects) add_symbols({object.data(), object.size()}, own);
  all = own;
  for (const OpObject& object : ops) add_symbols(text_of(object.data.span()), all);
  const std::set<std::string> imports = all.imports();
  for (const std::string& name : imports)
    if (!own.used.contains(name)) refuse_imports(ops, imports);
  if (!imports.empty())
    fail("E1005", {},
         fmt::format("code generation: the code needs `{}`, which no code image may", fmt::join(imports, "`, `")),
         "the target lacks an instruction for it (float16 needs f16c, which x86-64-v3 has); choose a newer target or "
         "float32");
  ScratchFolder folder;
  std::vector<std::string> files;
  const auto add_file = [&](std::span<const char> bytes) {
    files.push_back(folder.file(fmt::format("{}.o", files.size()).c_str()));
    write_file(files.back(), bytes);
  };
  for (const Object& object : objects) add_file(object);
  for (const OpObject& object : ops) add_file(text_of(object.data.span()));
  const std::string problem = run_linker(files, folder.file("kernels.so"));
  SUNMAO_CHECK(problem.empty() || !ops.empty(), "the link failed: {}", problem);
  if (!problem.empty()) refuse_link(ops, problem);
  std::vector<std::byte> image = read_image(folder.file("kernels.so"));
  if (!ops.empty() && has_relocations(image)) refuse_link(ops, "it needs addresses that only a run knows");
  return image;
}

}  // namespace sunmao::llvm_codegen
