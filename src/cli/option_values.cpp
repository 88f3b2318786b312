#include "cli/option_values.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

std::optional<int64_t> parse_size(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) return std::nullopt;
  return value;
}

[[noreturn]] void bad_dim(const NamedValue& dim, std::string_view expected, std::string_view example) {
  fail("E0002", {}, fmt::format("--dim: `{}` is no {} for `{}`", dim.value, expected, dim.name),
       fmt::format("write --dim {}={}; sizes are whole numbers from 0", dim.name, example));
}

[[noreturn]] void given_twice(const std::string& name) {
  fail("E0002", {}, fmt::format("--dim: the size of `{}` is given twice", name), "leave one of them out");
}

// Splits at commas, except in a JSON target or one with options, where commas belong to the target.
std::vector<std::string> split_targets(const std::string& text) {
  if (text.starts_with('{') || text.find(' ') != std::string::npos) return {text};
  std::vector<std::string> out;
  size_t begin = 0;
  while (true) {
    const size_t comma = text.find(',', begin);
    out.push_back(text.substr(begin, comma - begin));
    if (comma == std::string::npos) return out;
    begin = comma + 1;
  }
}

}  // namespace

NamedValue parse_named(const std::string& option, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    fail("E0002", {}, fmt::format("{}: `{}` is not of the form name=value", option, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::map<std::string, Interval> parse_ranges(const std::vector<std::string>& texts) {
  std::map<std::string, Interval> out;
  for (const std::string& text : texts) {
    const NamedValue dim = parse_named("--dim", text);
    const auto& [name, value] = dim;
    const size_t dots = value.find("..");
    const std::optional<int64_t> lo = parse_size(value.substr(0, dots));
    const std::optional<int64_t> hi = dots == std::string::npos ? lo : parse_size(value.substr(dots + 2));
    if (!lo || !hi) bad_dim(dim, "range", "1..64");
    if (*lo > *hi) fail("E0002", {}, fmt::format("--dim: the range of `{}` is empty: {} is above {}", name, *lo, *hi));
    if (!out.emplace(name, Interval{*lo, *hi}).second) given_twice(name);
  }
  return out;
}

std::map<std::string, int64_t> parse_sizes(const std::vector<std::string>& texts) {
  std::map<std::string, int64_t> out;
  for (const std::string& text : texts) {
    const NamedValue dim = parse_named("--dim", text);
    const std::optional<int64_t> size = parse_size(dim.value);
    if (!size) bad_dim(dim, "size", "8");
    if (!out.emplace(dim.name, *size).second) given_twice(dim.name);
  }
  return out;
}

std::vector<int64_t> parse_counts(const std::string& option, const std::string& text) {
  constexpr size_t kMost = 1000;  // numbers of one list
  const auto bad = [&] {
    fail("E0002", {}, fmt::format("{}: `{}` is no list of whole numbers from 1", option, text),
         "write 1,8 or 1..4 or 32..128:32 (in steps of 32) or 1..64*2 (doubling)");
  };
  std::vector<int64_t> out;
  std::set<int64_t> found;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, comma - begin);
    begin = comma + 1;
    const size_t dots = item.find(".."), rule = item.find_first_of(":*", dots == std::string::npos ? 0 : dots);
    const bool is_range = dots != std::string::npos;
    const std::optional<int64_t> low = parse_size(item.substr(0, std::min(dots, rule)));
    const std::optional<int64_t> high = is_range ? parse_size(item.substr(dots + 2, rule - dots - 2)) : low;
    const std::optional<int64_t> step = rule == std::string::npos ? 1 : parse_size(item.substr(rule + 1));
    const bool multiplies = rule != std::string::npos && item[rule] == '*';
    if (!low || !high || !step || *low < 1 || *high < *low || *step < (multiplies ? 2 : 1)) bad();
    if (rule != std::string::npos && !is_range) bad();
    for (int64_t x = *low; x <= *high; x = multiplies ? x * *step : x + *step) {
      if (found.insert(x).second) out.push_back(x);
      if (out.size() > kMost || x > *high / (multiplies ? *step : 1)) break;
    }
    if (out.size() > kMost)
      fail("E0002", {}, fmt::format("{}: `{}` has more than {} numbers", option, text, kMost), "give a larger step");
  }
  return out;
}

std::vector<NamedAxis> parse_named_axes(const std::vector<std::string>& texts) {
  std::vector<NamedAxis> out;
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('='), colon = text.rfind(':', equals);
    int64_t axis = 0;
    const bool has_parts = equals != std::string::npos && colon != std::string::npos && colon > 0;
    const char* end = text.data() + (has_parts ? equals : 0);
    const auto [stop, error] = std::from_chars(text.data() + (has_parts ? colon + 1 : 0), end, axis);
    const std::string name = has_parts ? text.substr(equals + 1) : std::string();
    if (!has_parts || error != std::errc() || stop != end || name.empty())
      fail("E0002", {}, fmt::format("--name-dim: `{}` names no axis of an input", text), "write --name-dim x:0=batch");
    out.push_back({text.substr(0, colon), axis, name});
  }
  return out;
}

std::vector<Target> parse_targets(const std::vector<std::string>& texts) {
  std::vector<Target> out;
  for (const std::string& text : texts)
    for (const std::string& name : split_targets(text)) {
      Target target = Target::parse(name);
      const bool is_there = std::ranges::any_of(out, [&](const Target& t) { return t.isa.name == target.isa.name; });
      if (is_there)
        fail("E0002", {}, fmt::format("--target: `{}` is named twice", target.isa.name),
             "one code image is made for each level");
      out.push_back(std::move(target));
    }
  if (out.empty()) out.push_back(Target::host());
  return out;
}

}  // namespace sunmao::cli
