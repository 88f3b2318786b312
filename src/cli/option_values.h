// Values of options that have a form of their own: `batch=1..64`, `x=x.npy`. Fails (E0002) on any other form.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "support/target.h"
#include "sym/analyzer.h"

namespace sunmao::cli {

struct NamedValue {
  std::string name;
  std::string value;
};

/// `name=value`, both there; `option` is for the message.
NamedValue parse_named(const std::string& option, const std::string& text);
/// `batch=1..64` or `batch=8`.
std::map<std::string, Interval> parse_ranges(const std::vector<std::string>& texts);
/// `batch=8`.
std::map<std::string, int64_t> parse_sizes(const std::vector<std::string>& texts);
/// Words with commas between and around them; this machine when there is none.
std::vector<Target> parse_targets(const std::vector<std::string>& texts);

}  // namespace sunmao::cli
