#include "frontend/torch/pytree.h"

#include <fmt/format.h>

namespace sunmao::torch {
namespace {

constexpr int kMostLevels = 64;
constexpr size_t kMostLeaves = 100'000;

/// Returns the keys of a dictionary as guards write them.
std::vector<std::string> keys_of(io::JsonValue structure) {
  std::vector<std::string> out;
  const io::Result<io::JsonDocument> context =
      io::JsonDocument::parse(structure["context"].as_string().value_or("null"));
  if (!context.ok()) return out;
  for (io::JsonValue key : context->root().elements()) {
    if (std::optional<std::string_view> text = key.as_string())
      out.push_back(fmt::format("['{}']", *text));
    else
      out.push_back(fmt::format("[{}]", key.as_int().value_or(-1)));
  }
  return out;
}

/// Adds the places of all leaves; false when the structure is damaged or too large.
bool add_leaves(io::JsonValue structure, const std::string& place, int depth, std::vector<std::string>& out) {
  if (depth > kMostLevels || out.size() > kMostLeaves) return false;
  io::JsonValue children = structure["children_spec"];
  const std::optional<std::string_view> type = structure["type"].as_string();
  if (!type) {
    out.push_back(place);
    return true;
  }
  const bool is_dict = *type == "builtins.dict", is_sequence = *type == "builtins.tuple" || *type == "builtins.list";
  const std::vector<std::string> keys = is_dict ? keys_of(structure) : std::vector<std::string>();
  if (is_dict && keys.size() != children.size()) return false;
  for (size_t i = 0; i < children.size(); ++i) {
    std::string at;
    if (!place.empty() && (is_dict || is_sequence)) at = place + (is_dict ? keys[i] : fmt::format("[{}]", i));
    if (!add_leaves(children[i], at, depth + 1, out)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> argument_places(io::JsonValue signature) {
  const io::Result<io::JsonDocument> parsed =
      io::JsonDocument::parse(signature["in_spec"].as_string().value_or("null"));
  if (!parsed.ok() || parsed->root().size() != 2) return {};
  // The structure is a pair of the positional arguments and those by name.
  io::JsonValue pair = parsed->root()[size_t{1}]["children_spec"], names = signature["forward_arg_names"];
  if (pair.size() != 2) return {};
  io::JsonValue positional = pair[size_t{0}]["children_spec"], named = pair[size_t{1}]["children_spec"];
  const std::vector<std::string> keys = keys_of(pair[size_t{1}]);
  if (keys.size() != named.size()) return {};
  std::vector<std::string> out;
  for (size_t i = 0; i < positional.size(); ++i) {
    std::string place;
    if (i < names.size())
      if (std::optional<std::string_view> name = names[i].as_string()) place = fmt::format("L['{}']", *name);
    if (!add_leaves(positional[i], place, 0, out)) return {};
  }
  for (size_t i = 0; i < named.size(); ++i)
    if (!add_leaves(named[i], "L" + keys[i], 0, out)) return {};
  return out;
}

}  // namespace sunmao::torch
