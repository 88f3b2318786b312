// Linking of a shared object of a model: the runtime, the artifact as constant data, and the model's functions.
#include "codegen/shared_object.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFTypes.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstring>

#include "codegen/c_library.h"
#include "codegen/llvm/lld.h"
#include "codegen/llvm/object_functions.h"
#include "codegen/llvm/op_objects.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using llvm::object::ELF64LE;
using llvm_codegen::kArtifactBytes;
using llvm_codegen::ScratchFolder;

// Where the artifact lies in its object file, and how it is aligned in memory. What describes it stands before.
constexpr size_t kDataOffset = 4096;

/// Writes the parts of an ELF file one after another into a block of kDataOffset bytes.
class ElfHead {
 public:
  template <class T>
  size_t add(const std::vector<T>& parts) {
    const size_t at = (size_ + 7) / 8 * 8;
    size_ = at + parts.size() * sizeof(T);
    SUNMAO_CHECK(size_ <= bytes_.size());
    if (!parts.empty()) std::memcpy(bytes_.data() + at, parts.data(), parts.size() * sizeof(T));
    return at;
  }
  template <class T>
  void set(size_t at, const T& part) {
    std::memcpy(bytes_.data() + at, &part, sizeof(T));
  }
  std::span<const char> bytes() const { return bytes_; }

 private:
  std::vector<char> bytes_ = std::vector<char>(kDataOffset);
  size_t size_ = 0;
};

/// Returns the first kDataOffset bytes of an object file whose only data is an artifact of `size` bytes. Its section is
/// a large one: other data stays near the code, however large the artifact is.
ElfHead artifact_head(uint64_t size) {
  const auto words = [](const std::vector<std::string>& list) {
    std::vector<char> out(1);
    for (const std::string& word : list) out.insert(out.end(), word.c_str(), word.c_str() + word.size() + 1);
    return out;
  };
  const std::vector<std::string> names = {".lrodata.sunmao", ".symtab", ".strtab", ".shstrtab"};
  const std::vector<char> symbol_names = words({kArtifactBytes}), section_names = words(names);
  std::vector<ELF64LE::Sym> symbols(2);
  std::memset(symbols.data(), 0, symbols.size() * sizeof(symbols[0]));
  symbols[1].st_name = 1;
  symbols[1].setBindingAndType(llvm::ELF::STB_GLOBAL, llvm::ELF::STT_OBJECT);
  symbols[1].setVisibility(llvm::ELF::STV_HIDDEN);
  symbols[1].st_shndx = 1;
  symbols[1].st_size = size;

  ElfHead head;
  ELF64LE::Ehdr file;
  std::memset(&file, 0, sizeof(file));
  head.add(std::vector{file});
  std::vector<ELF64LE::Shdr> sections(names.size() + 1);
  std::memset(sections.data(), 0, sections.size() * sizeof(sections[0]));
  uint32_t name = 1;
  const auto describe = [&](size_t i, uint32_t type, uint64_t offset, uint64_t bytes, uint64_t alignment) {
    sections[i].sh_name = name;
    sections[i].sh_type = type;
    sections[i].sh_offset = offset;
    sections[i].sh_size = bytes;
    sections[i].sh_addralign = alignment;
    name += static_cast<uint32_t>(names[i - 1].size() + 1);
  };
  describe(1, llvm::ELF::SHT_PROGBITS, kDataOffset, size, kDataOffset);
  sections[1].sh_flags = llvm::ELF::SHF_ALLOC | llvm::ELF::SHF_X86_64_LARGE;
  describe(2, llvm::ELF::SHT_SYMTAB, head.add(symbols), symbols.size() * sizeof(symbols[0]), 8);
  sections[2].sh_entsize = sizeof(symbols[0]);
  sections[2].sh_link = 3;  // .strtab
  sections[2].sh_info = 1;  // the first symbol that is not local
  describe(3, llvm::ELF::SHT_STRTAB, head.add(symbol_names), symbol_names.size(), 1);
  describe(4, llvm::ELF::SHT_STRTAB, head.add(section_names), section_names.size(), 1);

  std::memcpy(file.e_ident, llvm::ELF::ElfMagic, 4);
  file.e_ident[llvm::ELF::EI_CLASS] = llvm::ELF::ELFCLASS64;
  file.e_ident[llvm::ELF::EI_DATA] = llvm::ELF::ELFDATA2LSB;
  file.e_ident[llvm::ELF::EI_VERSION] = llvm::ELF::EV_CURRENT;
  file.e_type = llvm::ELF::ET_REL;
  file.e_machine = llvm::ELF::EM_X86_64;
  file.e_version = llvm::ELF::EV_CURRENT;
  file.e_shoff = head.add(sections);
  file.e_ehsize = sizeof(file);
  file.e_shentsize = sizeof(sections[0]);
  file.e_shnum = static_cast<uint16_t>(sections.size());
  file.e_shstrndx = 4;
  head.set(0, file);
  return head;
}

std::string version_script(const SharedObject& object) {
  std::string symbols;
  for (const ObjectAlias& a : object.aliases) symbols += a.symbol + ";";
  for (const ObjectFunction& f : object.functions) symbols += f.call + ";" + (f.run.empty() ? "" : f.run + ";");
  return fmt::format("{{ global: {} local: *; }};\n", symbols);
}

}  // namespace

std::vector<std::byte> link_shared_object(const SharedObject& object) {
  const std::vector<std::string> libraries = c_library();
  if (libraries.empty())
    fail("E1009", {}, "the model cannot become a shared object: this process has no C library that can be linked",
         "write an artifact, which `sunmao compile` does without --emit");
  const auto text = [](std::span<const std::byte> bytes) -> std::span<const char> {
    const llvm::StringRef chars = llvm_codegen::text_of(bytes);
    return {chars.data(), chars.size()};
  };
  ScratchFolder folder;
  const auto write = [&](const char* name, std::span<const char> bytes) { return folder.write(name, {&bytes, 1}); };
  const ElfHead head = artifact_head(object.artifact.size());
  const std::span<const char> artifact[] = {head.bytes(), text(object.artifact)};
  const std::string output = folder.file("model.so");
  std::vector<std::string> arguments = {
      "-shared",
      "-m",
      "elf_x86_64",
      "--soname=" + object.file_name,
      "--version-script=" + write("symbols.map", version_script(object)),
      "--gc-sections",
      "--eh-frame-hdr",
      "--hash-style=gnu",
      "--build-id=none",
      "--no-undefined",
      "--as-needed",
      "--strip-all",
      "-z",
      "now",
      "--threads=1",
      "-o",
      output,
      write("functions.o", llvm_codegen::object_functions(object.functions, object.artifact.size())),
      folder.write("artifact.o", artifact),
      write("runtime.o", text(object.runtime)),
  };
  for (const ObjectAlias& a : object.aliases) arguments.push_back(fmt::format("--defsym={}={}", a.symbol, a.target));
  arguments.insert(arguments.end(), libraries.begin(), libraries.end());
  const std::string problem = llvm_codegen::run_lld(arguments);
  if (!problem.empty())
    fail("E1009", {}, fmt::format("the model cannot become a shared object: {}", problem.substr(0, problem.find('\n'))),
         "write an artifact, which `sunmao compile` does without --emit");
  auto linked = llvm::MemoryBuffer::getFile(output, false, false);
  SUNMAO_CHECK(linked, "the linked object cannot be read");
  const auto* first = static_cast<const std::byte*>(static_cast<const void*>((*linked)->getBufferStart()));
  return {first, first + (*linked)->getBufferSize()};
}

}  // namespace sunmao
