#include "io/spelling.h"

#include <algorithm>

namespace sunmao::io {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr size_t kLongest = 64;  // longer names are not compared
  if (name.size() > kLongest) return {};
  std::vector<std::pair<int, std::string>> close;
  int limit = std::max(1, static_cast<int>(name.size()) / 3);
  for (const std::string& c : candidates) {
    if (c.size() > kLongest) continue;
    int distance = edit_distance(name, c);
    // The last component of a dotted name is also compared on its own: `relu` with `nn.relu`.
    if (size_t dot = c.rfind('.'); dot != std::string::npos)
      distance = std::min(distance, edit_distance(name, c.substr(dot + 1)));
    if (distance <= limit) close.emplace_back(distance, c);
  }
  std::stable_sort(close.begin(), close.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (size_t i = 0; i < close.size() && i < 3; ++i) out += (i ? ", `" : "did you mean `") + close[i].second + "`";
  return out.empty() ? out : out + "?";
}

}  // namespace sunmao::io
