#include "compiler/processor_name.h"

#include <fstream>

namespace sunmao {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  constexpr std::string_view kKey = "model name";
  for (std::string line; std::getline(info, line);)
    if (line.starts_with(kKey) && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace sunmao
