#include "runtime/elf_image.h"

#include <elf.h>

#include <cstring>

#include "abi/kernel.h"
#include "io/concat.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::Status;

constexpr uint64_t kMaxSpan = uint64_t{1} << 32;  // bytes of memory for one image

class ElfReader {
 public:
  ElfReader(std::span<const std::byte> file, uint32_t kernel_count) : file_(file), kernel_count_(kernel_count) {}

  io::Result<ElfImage> run() {
    SUNMAO_TRY(check_header());
    for (uint32_t i = 0; i < header_.e_phnum; ++i) {
      Elf64_Phdr program;
      if (!read(header_.e_phoff + uint64_t{i} * sizeof(program), program))
        return fail("its program headers are outside the image");
      SUNMAO_TRY(add(program));
    }
    if (image_.segments.empty()) return fail("it has nothing to load");
    if (has_dynamic_) SUNMAO_TRY(check_dynamic());
    SUNMAO_TRY(read_table());
    return std::move(image_);
  }

 private:
  static Status fail(const std::string& problem) {
    return Status::error("E0857", "code image: " + problem,
                         "the file is damaged or was not written by Sunmao; compile the model again");
  }

  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= file_.size() && size <= file_.size() - offset;
  }
  template <class T>
  bool read(uint64_t offset, T& out) const {
    if (!contains(offset, sizeof(T))) return false;
    std::memcpy(&out, file_.data() + offset, sizeof(T));
    return true;
  }
  /// Reads the data that the loaded image has at `address`; false when it is not backed by the file.
  template <class T>
  bool read_loaded(uint64_t address, T& out) const {
    for (const ElfSegment& s : image_.segments)
      if (address >= s.address && address - s.address <= s.file_size &&
          sizeof(T) <= s.file_size - (address - s.address))
        return read(s.offset + (address - s.address), out);
    return false;
  }

  Status check_header() {
    if (!read(0, header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) return fail("this is no ELF file");
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB)
      return fail("it is not 64-bit and little-endian");
    if (header_.e_type != ET_DYN) return fail("it is no shared object");
    if (header_.e_machine != EM_X86_64)
      return fail(concat("it is for machine ", header_.e_machine, ", not for x86-64"));
    if (header_.e_phentsize != sizeof(Elf64_Phdr))
      return fail(
          concat("its program headers have ", header_.e_phentsize, " bytes each, expected ", sizeof(Elf64_Phdr)));
    return {};
  }

  Status add(const Elf64_Phdr& program) {
    switch (program.p_type) {
      case PT_LOAD: return add_segment(program);
      case PT_INTERP: return fail("it wants an interpreter");
      case PT_TLS: return fail("it has thread-local data");
      case PT_DYNAMIC:
        dynamic_ = program;
        has_dynamic_ = true;
        return {};
      default: return {};
    }
  }

  Status add_segment(const Elf64_Phdr& program) {
    const ElfSegment segment = {program.p_vaddr,
                                program.p_offset,
                                program.p_filesz,
                                program.p_memsz,
                                (program.p_flags & PF_W) != 0,
                                (program.p_flags & PF_X) != 0};
    if (!contains(segment.offset, segment.file_size)) return fail("a segment is outside the image");
    if (segment.memory_size == 0) return {};
    if (segment.memory_size < segment.file_size) return fail("a segment is larger in the file than in memory");
    if (segment.memory_size > kMaxSpan || segment.address > kMaxSpan) return fail("it takes too much memory");
    if (segment.address % kPageSize != segment.offset % kPageSize) return fail("a segment is not aligned to its page");
    if (segment.is_writable && segment.is_executable) return fail("a segment is writable and executable");
    if (!segment.is_writable && segment.memory_size != segment.file_size)
      return fail("a segment that cannot be written has zero-filled memory");
    if (segment.address / kPageSize * kPageSize < image_.span) return fail("two segments share a page of memory");
    image_.span = (segment.address + segment.memory_size + kPageSize - 1) / kPageSize * kPageSize;
    image_.segments.push_back(segment);
    return {};
  }

  /// Rejects dynamic sections that request linking, initialisers or finalisers.
  Status check_dynamic() const {
    uint64_t symbols = 0;
    uint64_t symbol_count = 0;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic_.p_filesz; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      if (dynamic_.p_offset > file_.size() || !read(dynamic_.p_offset + at, entry))
        return fail("its dynamic section is outside the image");
      switch (entry.d_tag) {
        case DT_NULL: return check_symbols(symbols, symbol_count);
        case DT_NEEDED: return fail("it needs another library");
        case DT_RELA:
        case DT_REL:
        case DT_JMPREL:
        case DT_RELR:
        case DT_TEXTREL: return fail("it has relocations");
        case DT_INIT:
        case DT_FINI:
        case DT_INIT_ARRAY:
        case DT_FINI_ARRAY:
        case DT_PREINIT_ARRAY: return fail("it has initialisers");
        case DT_SYMTAB: symbols = entry.d_un.d_ptr; break;
        case DT_HASH: {
          uint32_t counts[2] = {};
          if (!read_loaded(entry.d_un.d_ptr, counts)) return fail("its symbol table is outside the image");
          symbol_count = counts[1];
          break;
        }
        case DT_GNU_HASH: {
          // A GNU hash table gives the index of the first hashed symbol, which all undefined symbols precede.
          uint32_t counts[2] = {};
          if (!read_loaded(entry.d_un.d_ptr, counts)) return fail("its symbol table is outside the image");
          if (symbol_count == 0) symbol_count = counts[1];
          break;
        }
        default: break;
      }
    }
    return check_symbols(symbols, symbol_count);
  }

  Status check_symbols(uint64_t symbols, uint64_t count) const {
    for (uint64_t i = 1; i < count; ++i) {  // symbol 0 is reserved
      Elf64_Sym symbol;
      if (symbols > kMaxSpan || !read_loaded(symbols + i * sizeof(symbol), symbol))
        return fail("its symbol table is outside the image");
      if (symbol.st_shndx == SHN_UNDEF) return fail("it needs a symbol from elsewhere");
    }
    return {};
  }

  Status read_table() {
    image_.table = header_.e_entry;
    uint32_t head[3] = {};  // magic, abi_version, count
    if (!read_loaded(image_.table, head) || head[0] != SUNMAO_KERNEL_TABLE_MAGIC)
      return Status::error("E0858", "code image: there is no kernel table at its entry point",
                           "the file is damaged or was not written by Sunmao; compile the model again");
    if (head[1] < SUNMAO_OLDEST_KERNEL_ABI || head[1] > SUNMAO_KERNEL_ABI)
      return Status::error("E0851",
                           concat("code image: kernel ABI ", head[1], ", this runtime has ", SUNMAO_KERNEL_ABI),
                           "compile the model with the Sunmao that this runtime belongs to");
    if (head[2] != kernel_count_)
      return Status::error("E0858", concat("code image: ", head[2], " kernels, the program has ", kernel_count_),
                           "program and code are of different models; compile the model again");
    image_.kernel_count = kernel_count_;
    for (uint64_t i = 0; i < kernel_count_; ++i) {
      int32_t offset = 0;
      if (!read_loaded(image_.table + sizeof(head) + i * sizeof(offset), offset))
        return fail("its kernel table is cut off");
      const uint64_t address = image_.table + static_cast<uint64_t>(int64_t{offset});
      if (!is_code(address)) return fail(concat("kernel ", i, " is outside its code"));
      image_.kernels.push_back(address);
    }
    return head[1] < 4 ? Status() : read_scratch(image_.table + sizeof(head) + kernel_count_ * sizeof(int32_t));
  }

  Status read_scratch(uint64_t address) {
    if (!read_loaded(address, image_.scratch_bytes)) return fail("its kernel table is cut off");
    if (image_.scratch_bytes > SUNMAO_MAX_SCRATCH)
      return fail(concat("its kernels need ", image_.scratch_bytes, " bytes of scratch memory"));
    return {};
  }

  bool is_code(uint64_t address) const {
    for (const ElfSegment& s : image_.segments)
      if (s.is_executable && address >= s.address && address - s.address < s.file_size) return true;
    return false;
  }

  const std::span<const std::byte> file_;
  const uint32_t kernel_count_;
  Elf64_Ehdr header_ = {};
  Elf64_Phdr dynamic_ = {};
  bool has_dynamic_ = false;
  ElfImage image_;
};

}  // namespace

io::Result<ElfImage> read_elf_image(std::span<const std::byte> file, uint32_t kernel_count) {
  return ElfReader(file, kernel_count).run();
}

}  // namespace sunmao::runtime
