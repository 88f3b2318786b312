#include "codegen/llvm/op_objects.h"

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include "support/diagnostic.h"

namespace sunmao {
namespace llvm_codegen {
namespace {

using llvm::object::ELF64LEObjectFile;

constexpr const char* kHowToCompile = "compile it by cc -O2 -fPIC -fno-stack-protector -fno-math-errno -c FILE.c";
constexpr const char* kWrites = "has data that it writes, and sessions share it";
constexpr const char* kRegister =
    "register the function with the runtime in place of carrying it (sunmao_register_op), or do without";

std::string names_of(std::span<const OpObject> objects) {
  std::string out;
  for (const OpObject& object : objects) out += (out.empty() ? "" : ", ") + object.name;
  return out;
}

std::unique_ptr<ELF64LEObjectFile> open_object(llvm::StringRef bytes) {
  llvm::Expected<ELF64LEObjectFile> file = ELF64LEObjectFile::create(llvm::MemoryBufferRef(bytes, "op"));
  if (file) return std::make_unique<ELF64LEObjectFile>(std::move(*file));
  llvm::consumeError(file.takeError());
  return nullptr;
}

/// Says what a section holds that an image cannot have; empty when there is nothing.
std::string problem_of(const llvm::object::ELFSectionRef& section, llvm::StringRef name) {
  const uint64_t flags = section.getFlags();
  if (section.getSize() == 0 || !(flags & llvm::ELF::SHF_ALLOC)) return {};
  if (flags & llvm::ELF::SHF_TLS) return "has thread-local data";
  if (name.starts_with(".init_array") || name.starts_with(".ctors") || name.starts_with(".preinit_array"))
    return "has initialisers";
  if (name.starts_with(".data.rel.ro")) return "has constants that hold addresses";
  if (flags & llvm::ELF::SHF_WRITE) return kWrites;
  return {};
}

}  // namespace

llvm::StringRef text_of(std::span<const std::byte> bytes) {
  return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

void refuse_object(const std::string& name, const std::string& problem, const std::string& help) {
  fail("E1008", {}, fmt::format("the object file {} cannot be part of an artifact: it {}", name, problem), help);
}

void refuse_imports(std::span<const OpObject> objects, const std::set<std::string>& imports) {
  const bool is_protector = imports.contains("__stack_chk_fail");
  refuse_object(names_of(objects), fmt::format("calls `{}`, which no artifact has", fmt::join(imports, "`, `")),
                is_protector ? kHowToCompile : kRegister);
}

void refuse_link(std::span<const OpObject> objects, const std::string& messages) {
  const std::string line = messages.substr(0, messages.find('\n'));
  refuse_object(names_of(objects), fmt::format("cannot be linked: {}", line), kHowToCompile);
}

bool has_relocations(std::span<const std::byte> image) {
  const std::unique_ptr<ELF64LEObjectFile> file = open_object(text_of(image));
  SUNMAO_CHECK(file, "the linked image cannot be read");
  for (const llvm::object::ELFSectionRef section : file->sections()) {
    const bool is_list = section.getType() == llvm::ELF::SHT_RELA || section.getType() == llvm::ELF::SHT_REL ||
                         section.getType() == llvm::ELF::SHT_RELR;
    if (is_list && section.getSize() > 0) return true;
  }
  return false;
}

}  // namespace llvm_codegen

std::set<std::string> functions_of(const OpObject& object) {
  using namespace llvm_codegen;
  const std::unique_ptr<ELF64LEObjectFile> file = open_object(text_of(object.data.span()));
  if (!file || !file->isRelocatableObject() || file->getELFFile().getHeader().e_machine != llvm::ELF::EM_X86_64)
    refuse_object(object.name, "is no object file for x86-64", kHowToCompile);
  for (const llvm::object::ELFSectionRef section : file->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) refuse_object(object.name, "is damaged", kHowToCompile);
    if (const std::string problem = problem_of(section, *name); !problem.empty())
      refuse_object(object.name, problem, kRegister);
  }
  std::set<std::string> out;
  for (const llvm::object::ELFSymbolRef symbol : file->symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name) refuse_object(object.name, "is damaged", kHowToCompile);
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags) refuse_object(object.name, "is damaged", kHowToCompile);
    const bool is_seen = (*flags & llvm::object::SymbolRef::SF_Global) &&
                         !(*flags & (llvm::object::SymbolRef::SF_Undefined | llvm::object::SymbolRef::SF_Common));
    if (*flags & llvm::object::SymbolRef::SF_Common) refuse_object(object.name, kWrites, kRegister);
    if (is_seen && symbol.getELFType() == llvm::ELF::STT_FUNC) out.insert(name->str());
    if (symbol.getELFType() == llvm::ELF::STT_GNU_IFUNC)
      refuse_object(object.name, "has functions that are chosen when it is loaded", kRegister);
  }
  return out;
}

}  // namespace sunmao
