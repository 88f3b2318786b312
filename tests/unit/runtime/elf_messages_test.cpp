// The exact messages for images of machine code that are wrong.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "runtime/elf_image.h"
#include "tests/unit/runtime/tiny_model.h"

namespace sunmao::runtime::testing {
namespace {

using Image = std::vector<uint8_t>;

template <class T>
void change_at(Image& image, uint64_t offset, const std::function<void(T&)>& change) {
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  change(value);
  std::memcpy(image.data() + offset, &value, sizeof(T));
}

std::function<void(Image&)> header(const std::function<void(Elf64_Ehdr&)>& change) {
  return [=](Image& image) { change_at<Elf64_Ehdr>(image, 0, change); };
}
/// Program headers of the tiny image: 1 is read, 2 is run, 3 is written, 4 is the dynamic section, 5 is the stack.
std::function<void(Image&)> segment(size_t number, const std::function<void(Elf64_Phdr&)>& change) {
  return [=](Image& image) { change_at<Elf64_Phdr>(image, sizeof(Elf64_Ehdr) + number * sizeof(Elf64_Phdr), change); };
}
/// Replaces entries of the dynamic section: 0 is DT_SYMTAB, 1 is of no matter, 4 is DT_GNU_HASH.
std::function<void(Image&)> dynamic(const std::vector<std::pair<size_t, Elf64_Dyn>>& entries) {
  return [=](Image& image) {
    uint64_t at = 0;
    segment(4, [&](auto& p) { at = p.p_offset; })(image);
    for (const auto& [number, entry] : entries)
      change_at<Elf64_Dyn>(image, at + number * sizeof(Elf64_Dyn), [&](auto& e) { e = entry; });
  };
}
/// Changes a word of the kernel table: 1 is the ABI, 3 is the place of the first kernel.
std::function<void(Image&)> table(size_t word, uint32_t value) {
  return [=](Image& image) {
    uint64_t at = 0;
    header([&](auto& h) { at = h.e_entry; })(image);  // in the first segment, where offsets are addresses
    change_at<uint32_t>(image, at + word * sizeof(uint32_t), [&](auto& w) { w = value; });
  };
}
/// Ends the segment of the table behind that many of its words.
std::function<void(Image&)> cut_table(size_t words) {
  return [=](Image& image) {
    uint64_t at = 0;
    header([&](auto& h) { at = h.e_entry; })(image);
    segment(1, [&](auto& p) { p.p_filesz = p.p_memsz = at + words * sizeof(uint32_t); })(image);
  };
}

struct WrongImage {
  const char* message;
  std::function<void(Image&)> damage;
};

void expect_image_messages(const std::vector<WrongImage>& all, const std::string& before, const std::string& behind) {
  for (const WrongImage& wrong : all) {
    Image image = tiny_code();
    wrong.damage(image);
    const io::Result<ElfImage> read = read_elf_image(std::as_bytes(std::span<const uint8_t>(image)), 4);
    EXPECT_EQ(read.status().to_string(), before + wrong.message + behind);
  }
}
void expect_broken(const std::vector<WrongImage>& all) {
  expect_image_messages(
      all, "E0857: code image: ", "; the file is damaged or was not written by Sunmao; compile the model again");
}

TEST(ElfMessages, E0857_headers) {
  expect_broken({
      {"this is no ELF file", [](auto& image) { image.clear(); }},
      {"this is no ELF file", header([](auto& h) { h.e_ident[EI_MAG0] = 0; })},
      {"it is not 64-bit and little-endian", header([](auto& h) { h.e_ident[EI_CLASS] = ELFCLASS32; })},
      {"it is not 64-bit and little-endian", header([](auto& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; })},
      {"it is no shared object", header([](auto& h) { h.e_type = ET_EXEC; })},
      {"it is for machine 183, not for x86-64", header([](auto& h) { h.e_machine = EM_AARCH64; })},
      {"its program headers have 55 bytes each, expected 56", header([](auto& h) { h.e_phentsize = 55; })},
      {"its program headers are outside the image", header([](auto& h) { h.e_phoff = UINT64_MAX - 8; })},
      {"it has nothing to load", header([](auto& h) { h.e_phnum = 0; })},
      {"it wants an interpreter", segment(5, [](auto& p) { p.p_type = PT_INTERP; })},
      {"it has thread-local data", segment(5, [](auto& p) { p.p_type = PT_TLS; })},
  });
}

TEST(ElfMessages, E0857_segments) {
  expect_broken({
      {"a segment is outside the image", segment(1, [](auto& p) { p.p_filesz = UINT64_MAX; })},
      {"a segment is larger in the file than in memory", segment(1, [](auto& p) { p.p_memsz = 1; })},
      {"it takes too much memory", segment(1, [](auto& p) { p.p_memsz = UINT64_MAX; })},
      {"it takes too much memory", segment(1, [](auto& p) { p.p_vaddr = uint64_t{1} << 33; })},
      {"a segment is not aligned to its page", segment(1, [](auto& p) { p.p_offset += 16; })},
      {"a segment is writable and executable", segment(2, [](auto& p) { p.p_flags |= PF_W; })},
      {"a segment that cannot be written has zero-filled memory", segment(2, [](auto& p) { p.p_memsz += 1; })},
      {"two segments share a page of memory", segment(2, [](auto& p) { p.p_vaddr %= 4096; })},
  });
}

TEST(ElfMessages, E0857_what_wants_linking) {
  constexpr int64_t kRelr = 36;                 // DT_RELR, which older headers lack
  constexpr Elf64_Xword kNowhere = 1ull << 40;  // no address of the image
  expect_broken({
      {"its dynamic section is outside the image", segment(4, [](auto& p) { p.p_offset = UINT64_MAX; })},
      {"its dynamic section is outside the image", segment(4, [](auto& p) { p.p_offset = 1 << 20; })},
      {"it needs another library", dynamic({{1, {DT_NEEDED, {0}}}})},
      {"it has relocations", dynamic({{1, {DT_RELA, {0}}}})},
      {"it has relocations", dynamic({{1, {DT_REL, {0}}}})},
      {"it has relocations", dynamic({{1, {DT_JMPREL, {0}}}})},
      {"it has relocations", dynamic({{1, {kRelr, {0}}}})},
      {"it has relocations", dynamic({{1, {DT_TEXTREL, {0}}}})},
      {"it has initialisers", dynamic({{1, {DT_INIT, {0}}}})},
      {"it has initialisers", dynamic({{1, {DT_FINI, {0}}}})},
      {"it has initialisers", dynamic({{1, {DT_INIT_ARRAY, {0}}}})},
      {"it has initialisers", dynamic({{1, {DT_FINI_ARRAY, {0}}}})},
      {"it has initialisers", dynamic({{1, {DT_PREINIT_ARRAY, {0}}}})},
      {"its symbol table is outside the image", dynamic({{1, {DT_HASH, {kNowhere}}}})},
      {"its symbol table is outside the image", dynamic({{4, {DT_GNU_HASH, {kNowhere}}}})},
      // A hash table at address 0, which is the ELF header, states many symbols.
      {"its symbol table is outside the image", dynamic({{0, {DT_SYMTAB, {kNowhere}}}, {1, {DT_HASH, {0}}}})},
      {"its symbol table is outside the image", dynamic({{0, {DT_SYMTAB, {0x1f0}}}, {1, {DT_HASH, {0}}}})},
      {"it needs a symbol from elsewhere", dynamic({{1, {DT_HASH, {0}}}})},
  });
}

TEST(ElfMessages, E0857_kernel_tables) {
  const auto both = [](const std::function<void(Image&)>& first, const std::function<void(Image&)>& second) {
    return [=](Image& image) {
      first(image);
      second(image);
    };
  };
  expect_broken({
      {"its kernel table is cut off", cut_table(4)},
      {"kernel 0 is outside its code", table(3, static_cast<uint32_t>(-8))},
      {"its kernel table is cut off", both(table(1, 4), cut_table(7))},
      // Since ABI 4 the number of bytes stands behind the kernels.
      {"its kernels need 4294967295 bytes of scratch memory", both(table(1, 4), table(7, UINT32_MAX))},
  });
}

TEST(ElfMessages, E0851_and_E0858_kernel_tables) {
  const std::string missing =
      "E0858: code image: there is no kernel table at its entry point; the file is damaged or was not written by "
      "Sunmao; compile the model again";
  expect_image_messages(
      {
          {missing.c_str(), header([](auto& h) { h.e_entry += 8; })},
          {missing.c_str(), header([](auto& h) { h.e_entry = UINT64_MAX; })},
          {"E0858: code image: 5 kernels, the program has 4; program and code are of different models; compile the "
           "model again",
           table(2, 5)},
          {"E0851: code image: kernel ABI 9, this runtime has 4; compile the model with the Sunmao that this runtime "
           "belongs to",
           table(1, 9)},
      },
      "", "");
}

}  // namespace
}  // namespace sunmao::runtime::testing
