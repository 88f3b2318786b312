// Perf map for profilers; see code_image.h.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "io/concat.h"
#include "io/file_descriptor.h"
#include "runtime/code_image.h"

namespace sunmao::runtime {
namespace {

std::string hex(uint64_t value) {
  char digits[16];
  return std::string(digits, std::to_chars(digits, digits + sizeof(digits), value, 16).ptr);
}

/// Replaces blanks and other characters below 0x21 by `_`: in the format a name ends with its line.
std::string one_line(std::string_view name) {
  std::string text(name);
  std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x21; }, '_');
  return text;
}

}  // namespace

void write_perf_map(const CodeImage& image, const std::vector<std::string_view>& names) {
  const char* wanted = std::getenv("SUNMAO_PERF_MAP");
  if (!wanted || std::strcmp(wanted, "1") != 0) return;
  std::vector<std::pair<uint64_t, std::string_view>> kernels;
  for (size_t i = 0; i < names.size(); ++i)
    kernels.emplace_back(reinterpret_cast<uint64_t>(image.kernels()[i]), names[i]);
  std::sort(kernels.begin(), kernels.end());
  std::string lines;
  for (size_t i = 0; i < kernels.size(); ++i) {
    // The image has no kernel sizes: a kernel is taken to end where the next one begins, or its segment ends.
    uint64_t end = image.code_end(kernels[i].first);
    if (i + 1 < kernels.size()) end = std::min(end, kernels[i + 1].first);
    lines +=
        hex(kernels[i].first) + ' ' + hex(end - kernels[i].first) + " sunmao::" + one_line(kernels[i].second) + '\n';
  }
  const std::string path = io::concat("/tmp/perf-", ::getpid(), ".map");
  const io::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  // Failing to write the map is not an error.
  if (file.is_open()) [[maybe_unused]]
    const ssize_t written = ::write(file.get(), lines.data(), lines.size());
}

}  // namespace sunmao::runtime
