#include "runtime/cpu_quota.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace sunmao::runtime {
namespace {

/// Returns the file's text, empty when it cannot be read. Files of the kernel say nothing of their size.
std::string read_text(const std::string& path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char part[4096];
  for (ssize_t n = 0; (n = ::read(file, part, sizeof(part))) > 0;) text.append(part, static_cast<size_t>(n));
  ::close(file);
  return text;
}

/// Cuts the part before `separator` off the text.
std::string_view cut(std::string_view& text, char separator) {
  const size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

/// `quota` and `period` are microseconds; a quota that is no positive number (`max`, -1) is none.
std::optional<uint32_t> processors(std::string_view quota, std::string_view period) {
  const auto number = [](std::string_view text) {
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const int64_t run = number(quota), all = number(period);
  if (run <= 0 || all <= 0) return std::nullopt;
  return static_cast<uint32_t>(std::min<int64_t>((run - 1) / all + 1, UINT32_MAX));
}

std::optional<uint32_t> quota_of(const std::string& folder, bool is_version_2) {
  if (!is_version_2)
    return processors(read_text(folder + "/cpu.cfs_quota_us"), read_text(folder + "/cpu.cfs_period_us"));
  const std::string both = read_text(folder + "/cpu.max");
  std::string_view period = both;
  const std::string_view quota = cut(period, ' ');
  return processors(quota, period);
}

bool has_cpu(std::string_view controllers) {
  while (!controllers.empty())
    if (cut(controllers, ',') == "cpu") return true;
  return false;
}

}  // namespace

std::optional<uint32_t> processors_of_quota(const std::string& groups, const std::string& mount) {
  std::optional<uint32_t> least;
  const std::string text = read_text(groups);
  // A line is `number:controllers:path`; version 2 has number 0 and names no controllers.
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view path = cut(rest, '\n');
    const bool is_version_2 = cut(path, ':') == "0";
    const std::string_view controllers = cut(path, ':');
    if (!is_version_2 && !has_cpu(controllers)) continue;
    const std::string root = is_version_2 ? mount : mount + "/cpu";
    // A container may see its own group as the root, under which the path does not exist.
    for (std::string folder(path);; folder.erase(folder.rfind('/'))) {
      if (const std::optional<uint32_t> quota = quota_of(root + folder, is_version_2))
        least = std::min(*quota, least.value_or(*quota));
      if (folder.find('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace sunmao::runtime
