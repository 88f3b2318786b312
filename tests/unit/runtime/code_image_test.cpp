// Code images: validation, and loading by mapping and by copying.
#include <elf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "cpu/features.h"
#include "runtime/code_image.h"
#include "tests/unit/runtime/tiny_model.h"

namespace sunmao::runtime::testing {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kKernels = 4;

template <class T>
T read_at(const std::vector<uint8_t>& image, size_t offset) {
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}
template <class T>
void write_at(std::vector<uint8_t>& image, size_t offset, const T& value) {
  std::memcpy(image.data() + offset, &value, sizeof(T));
}

std::string image_problem(const std::vector<uint8_t>& image, uint32_t kernels = kKernels) {
  const io::Result<ElfImage> read = read_elf_image(std::as_bytes(std::span<const uint8_t>(image)), kernels);
  return read.ok() ? "none" : std::string(read.code()) + " " + read.status().message();
}

/// Returns the image with its program headers of type `type` changed.
std::vector<uint8_t> with_headers(uint32_t type, const std::function<void(Elf64_Phdr&)>& change) {
  std::vector<uint8_t> image = tiny_code();
  const auto header = read_at<Elf64_Ehdr>(image, 0);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    const size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    auto program = read_at<Elf64_Phdr>(image, at);
    if (program.p_type != type) continue;
    change(program);
    write_at(image, at, program);
  }
  return image;
}

std::vector<uint8_t> with_header(const std::function<void(Elf64_Ehdr&)>& change) {
  std::vector<uint8_t> image = tiny_code();
  auto header = read_at<Elf64_Ehdr>(image, 0);
  change(header);
  write_at(image, 0, header);
  return image;
}

/// Returns the image with the tag of its first dynamic entry changed.
std::vector<uint8_t> with_dynamic(int64_t tag) {
  std::vector<uint8_t> image = tiny_code();
  size_t at = 0;
  with_headers(PT_DYNAMIC, [&](Elf64_Phdr& p) { at = p.p_offset; });
  auto entry = read_at<Elf64_Dyn>(image, at);
  entry.d_tag = tag;
  write_at(image, at, entry);
  return image;
}

TEST(CodeImage, a_linked_image_passes) { EXPECT_EQ(image_problem(tiny_code()), "none"); }

TEST(CodeImage, E0857_headers) {
  EXPECT_THAT(image_problem({}), HasSubstr("E0857 code image: this is no ELF file"));
  EXPECT_THAT(image_problem(with_header([](auto& h) { h.e_ident[EI_CLASS] = ELFCLASS32; })), HasSubstr("not 64-bit"));
  EXPECT_THAT(image_problem(with_header([](auto& h) { h.e_machine = EM_AARCH64; })), HasSubstr("for machine 183"));
  EXPECT_THAT(image_problem(with_header([](auto& h) { h.e_type = ET_EXEC; })), HasSubstr("no shared object"));
  EXPECT_THAT(image_problem(with_header([](auto& h) { h.e_phoff = UINT64_MAX - 8; })), HasSubstr("program headers"));
  EXPECT_THAT(image_problem(with_header([](auto& h) { h.e_phnum = 0; })), HasSubstr("nothing to load"));
}

TEST(CodeImage, E0857_segments) {
  EXPECT_THAT(image_problem(with_headers(PT_LOAD, [](auto& p) { p.p_flags |= PF_W | PF_X; })),
              HasSubstr("writable and executable"));
  EXPECT_THAT(image_problem(with_headers(PT_LOAD, [](auto& p) { p.p_offset += 16; })),
              HasSubstr("aligned to its page"));
  EXPECT_THAT(image_problem(with_headers(PT_LOAD, [](auto& p) { p.p_filesz = UINT64_MAX; })),
              HasSubstr("outside the image"));
  EXPECT_THAT(image_problem(with_headers(PT_LOAD, [](auto& p) { p.p_memsz += 1; })), HasSubstr("zero-filled"));
  EXPECT_THAT(image_problem(with_headers(PT_LOAD, [](auto& p) { p.p_memsz = UINT64_MAX; })),
              HasSubstr("too much memory"));
  EXPECT_THAT(image_problem(with_headers(PT_LOAD, [](auto& p) { p.p_vaddr %= 4096; })), HasSubstr("share a page"));
  EXPECT_THAT(image_problem(with_headers(PT_DYNAMIC, [](auto& p) { p.p_type = PT_INTERP; })), HasSubstr("interpreter"));
  EXPECT_THAT(image_problem(with_headers(PT_DYNAMIC, [](auto& p) { p.p_type = PT_TLS; })), HasSubstr("thread-local"));
  EXPECT_THAT(image_problem(with_headers(PT_DYNAMIC, [](auto& p) { p.p_offset = UINT64_MAX; })),
              HasSubstr("dynamic section is outside"));
}

TEST(CodeImage, E0857_what_wants_linking) {
  EXPECT_THAT(image_problem(with_dynamic(DT_NEEDED)), HasSubstr("needs another library"));
  EXPECT_THAT(image_problem(with_dynamic(DT_RELA)), HasSubstr("relocations"));
  EXPECT_THAT(image_problem(with_dynamic(DT_JMPREL)), HasSubstr("relocations"));
  EXPECT_THAT(image_problem(with_dynamic(36)), HasSubstr("relocations"));  // DT_RELR
  EXPECT_THAT(image_problem(with_dynamic(DT_INIT_ARRAY)), HasSubstr("initialisers"));
}

TEST(CodeImage, E0858_kernel_tables) {
  EXPECT_THAT(image_problem(tiny_code(), 3), HasSubstr("E0858 code image: 4 kernels, the program has 3"));
  EXPECT_THAT(image_problem(with_header([](auto& h) { h.e_entry += 8; })),
              HasSubstr("E0858 code image: there is no kernel"));
  EXPECT_THAT(image_problem(with_header([](auto& h) { h.e_entry = UINT64_MAX; })), HasSubstr("E0858"));
  std::vector<uint8_t> image = tiny_code();
  const auto header = read_at<Elf64_Ehdr>(image, 0);  // the table's segment has equal offsets and addresses
  write_at(image, header.e_entry + 4, uint32_t{9});
  EXPECT_THAT(image_problem(image), HasSubstr("E0851 code image: kernel ABI 9"));
  write_at(image, header.e_entry + 4, uint32_t{4});  // such a table goes on behind the offsets
  EXPECT_THAT(image_problem(image), AnyOf(HasSubstr("kernel table is cut off"), HasSubstr("scratch memory")));
  image = tiny_code();
  write_at(image, header.e_entry + 12, int32_t{-8});
  EXPECT_THAT(image_problem(image), HasSubstr("kernel 0 is outside its code"));
}

TEST(CodeImage, damaged_images_never_crash) {
  const std::vector<uint8_t> image = tiny_code();
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> damaged = image;
    for (int flips = 0; flips < 3; ++flips) damaged[random() % 512] = static_cast<uint8_t>(random());
    if (round % 4 == 0) damaged.resize(random() % damaged.size());
    const std::string text = image_problem(damaged);
    EXPECT_TRUE(text == "none" || text[0] == 'E');
  }
}

using Code = std::shared_ptr<const CodeImage>;

io::Result<Code> load_image(ImageFile file) {
  const std::vector<uint8_t> image = tiny_code();
  return CodeImage::load(std::as_bytes(std::span<const uint8_t>(image)), kKernels, file);
}

bool works(const CodeImage& image) {
  const float x = 3;
  const float row = 4;
  float out = 0;
  float x_copy = x;
  float row_copy = row;
  void* buffers[] = {&x_copy, &row_copy, &out};
  const int64_t dims[] = {1, 1};
  return image.kernels()[0](buffers, dims, nullptr) == 0 && out == 7;
}

class ImageInFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<uint8_t> image = tiny_code();
    const std::string padding(4096, 'x');
    fd_ = ::mkstemp(path_.data());
    ASSERT_EQ(::write(fd_, padding.data(), padding.size()), 4096);
    ASSERT_EQ(::write(fd_, image.data(), image.size()), static_cast<ssize_t>(image.size()));
  }
  void TearDown() override {
    ::close(fd_);
    ::unlink(path_.c_str());
  }
  std::string path_ = ::testing::TempDir() + "sunmao_image_XXXXXX";
  int fd_ = -1;
};

TEST_F(ImageInFile, is_mapped) {
  const io::Result<Code> image = load_image({fd_, 4096});
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ((*image)->source(), CodeImage::Source::Mapped);
  EXPECT_TRUE(works(**image));
}

TEST_F(ImageInFile, is_copied_where_the_file_must_not_be_executed) {
  // A write-only descriptor makes mapping fail, as on a file system mounted noexec.
  const int no_reading = ::open(path_.c_str(), O_WRONLY);
  const io::Result<Code> image = load_image({no_reading, 4096});
  ::close(no_reading);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ((*image)->source(), CodeImage::Source::Copied);
  EXPECT_TRUE(works(**image));
}

TEST(CodeImage, is_copied_from_memory) {
  const io::Result<Code> image = load_image({});
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ((*image)->source(), CodeImage::Source::Copied);
  EXPECT_TRUE(works(**image));
}

TEST(CodeImage, perf_map_has_the_kernels) {
  const std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
  const io::Result<Code> image = load_image({});
  ASSERT_TRUE(image.ok());
  ::setenv("SUNMAO_PERF_MAP", "1", 1);
  write_perf_map(**image, {"add row", "square", "refuse", "positive"});
  ::unsetenv("SUNMAO_PERF_MAP");
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  ::unlink(path.c_str());
  std::stringstream address;
  address << std::hex << reinterpret_cast<uintptr_t>((*image)->kernels()[0]);
  EXPECT_THAT(text.str(), HasSubstr(address.str()));
  EXPECT_THAT(text.str(), HasSubstr(" sunmao::add_row\n"));
}

TEST(CpuFeatures, agree_with_the_compiler) {
  EXPECT_TRUE(cpu::has_feature("sse2"));
  EXPECT_FALSE(cpu::has_feature("warp-drive"));
  EXPECT_EQ(cpu::has_feature("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(cpu::has_feature("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(cpu::has_feature("bmi2"), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_EQ(cpu::has_feature("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(cpu::has_feature("avx512vnni"), __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_EQ(cpu::missing_features({"sse2", "warp-drive"}), std::vector<std::string>{"warp-drive"});
}

}  // namespace
}  // namespace sunmao::runtime::testing
