#include "support/quantity_text.h"

#include <fmt/format.h>

namespace sunmao {

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes);
  for (const char* unit : {"KB", "MB", "GB"}) {
    size /= 1000;
    if (size < 1000) return fmt::format("{:.1f} {}", size, unit);
  }
  return fmt::format("{:.1f} TB", size / 1000);
}

}  // namespace sunmao
