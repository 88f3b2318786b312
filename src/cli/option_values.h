// Parsing of structured option values: `batch=1..64`, `x=x.npy`. Fails (E0002) on other forms.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/symbol_names.h"
#include "sym/analyzer.h"
#include "target/target.h"

namespace sunmao::cli {

struct NamedValue {
  std::string name;
  std::string value;
};

/// Parses `name=value`, both nonempty; `option` is used in messages.
NamedValue parse_named(const std::string& option, const std::string& text);
/// Parses ranges such as `batch=1..64` or `batch=8`, one for each name.
std::map<std::string, Interval> parse_ranges(const std::vector<std::string>& texts);
/// Parses sizes such as `batch=8`, one for each name.
std::map<std::string, int64_t> parse_sizes(const std::vector<std::string>& texts);
/// Parses lists and ranges of whole numbers from 1: `1,8`, `1..4`, `32..128:32` (in steps of 32), `1..64*2` (doubling).
/// A number that occurs several times is returned once, where it occurs first.
std::vector<int64_t> parse_counts(const std::string& option, const std::string& text);
/// Parses names of axes such as `x:0=batch`.
std::vector<NamedAxis> parse_named_axes(const std::vector<std::string>& texts);
/// Parses comma-separated targets; the host when there are none.
std::vector<Target> parse_targets(const std::vector<std::string>& texts);

}  // namespace sunmao::cli
