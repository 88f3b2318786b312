#include "codegen/artifact/artifact_sink.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "codegen/artifact/write_artifact.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class MemorySink final : public ArtifactSink {
 public:
  void begin(uint64_t size) override {
    size_ = size;
    void* memory = mmap(nullptr, std::max<size_t>(size, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("E0910", {}, fmt::format("not enough memory: the artifact takes {} bytes", size));
    madvise(memory, size, MADV_HUGEPAGE);  // advice: it may be refused
    memory_ = std::shared_ptr<std::byte>(static_cast<std::byte*>(memory),
                                         [size](std::byte* at) { munmap(at, std::max<size_t>(size, 1)); });
  }
  void write(uint64_t offset, std::span<const std::byte> data) override {
    if (!data.empty()) std::memcpy(memory_.get() + offset, data.data(), data.size());
  }
  io::Bytes end() override { return {std::span<const std::byte>(memory_.get(), size_), memory_}; }

 private:
  std::shared_ptr<std::byte> memory_;
  size_t size_ = 0;
};

class FileSink final : public ArtifactSink {
 public:
  explicit FileSink(std::string path) : path_(std::move(path)) {}

  void begin(uint64_t size) override {
    io::Result<io::OutputFile> file = io::OutputFile::create(path_, {.size = size});
    check(file.ok() ? io::Status() : file.status());
    file_.emplace(file.take());
  }
  void write(uint64_t offset, std::span<const std::byte> data) override { check(file_->write_at(offset, data)); }
  io::Bytes end() override {
    check(file_->commit({.sync = false}));
    return {};
  }

 private:
  std::string path_;
  std::optional<io::OutputFile> file_;
};

}  // namespace

std::unique_ptr<ArtifactSink> make_memory_sink() { return std::make_unique<MemorySink>(); }
std::unique_ptr<ArtifactSink> make_file_sink(const std::string& path) { return std::make_unique<FileSink>(path); }

}  // namespace sunmao
