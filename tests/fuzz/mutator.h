// What mutators of files share: lists of words, and handing over what was made.
#pragma once
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace sunmao::fuzz {

inline std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

/// Copies `made` to `out` and returns its size; 0 where it does not fit.
inline size_t give(const std::string& made, uint8_t* out, size_t max_size) {
  if (made.size() > max_size) return 0;
  std::memcpy(out, made.data(), made.size());
  return made.size();
}

}  // namespace sunmao::fuzz
