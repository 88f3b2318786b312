#include "codegen/llvm/link.h"

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <set>
#include <string>

#include "codegen/llvm/lld.h"
#include "codegen/llvm/module_builder.h"
#include "codegen/llvm/op_objects.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {
namespace {

std::vector<std::byte> read_image(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, false, false);
  SUNMAO_CHECK(buffer, "the linked image cannot be read");
  const auto* first = static_cast<const std::byte*>(static_cast<const void*>((*buffer)->getBufferStart()));
  return {first, first + (*buffer)->getBufferSize()};
}

// Tables, constants and code share one segment that is readable and executable; nothing is writable.
std::vector<std::string> image_arguments(const std::string& image) {
  return {"-shared",
          "-m",
          "elf_x86_64",
          fmt::format("--entry={}", kTableName),
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
          image};
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
  std::vector<std::string> arguments = image_arguments(folder.file("kernels.so"));
  size_t count = 0;
  const auto add_file = [&](std::span<const char> bytes) {
    arguments.push_back(folder.write(fmt::format("{}.o", count++), {&bytes, 1}));
  };
  for (const Object& object : objects) add_file(object);
  for (const OpObject& object : ops) add_file(text_of(object.data.span()));
  const std::string problem = run_lld(arguments);
  SUNMAO_CHECK(problem.empty() || !ops.empty(), "the link failed: {}", problem);
  if (!problem.empty()) refuse_link(ops, problem);
  std::vector<std::byte> image = read_image(folder.file("kernels.so"));
  if (!ops.empty() && has_relocations(image)) refuse_link(ops, "it needs addresses that only a run knows");
  return image;
}

}  // namespace sunmao::llvm_codegen
