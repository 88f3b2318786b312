#include "frontend/torch/pytree.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/json_writer.h"

namespace sunmao::torch {
namespace {

constexpr int kMostLevels = 64;
constexpr size_t kMostLeaves = 100'000;
constexpr std::string_view kReturnTypes = "torch.return_types.";

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

/// Writes structures in the form of attribute `sunmao.nesting`.
class NestingWriter {
 public:
  NestingWriter(io::JsonWriter& out, io::JsonValue fields) : out_(out), fields_(fields) {}

  /// Writes a structure with the next leaves; false when it is damaged or too large.
  bool write(io::JsonValue structure, const std::vector<Leaf>& leaves, size_t& next, int depth = 0) {
    if (depth > kMostLevels) return false;
    const std::optional<std::string_view> type = structure["type"].as_string();
    if (!type) return next < leaves.size() && write_leaf(leaves[next++]);
    const std::string_view context = structure["context"].as_string().value_or("null");
    if (*type == "collections.namedtuple")  // its context is its name, and no JSON
      return write_parts("namedtuple", context, fields_[context]["field_names"], structure, leaves, next, depth);
    const io::Result<io::JsonDocument> parsed = io::JsonDocument::parse(context);
    if (!parsed.ok()) return false;
    const io::JsonValue keys = keys_in(parsed->root(), structure["children_spec"].size());
    if (type->starts_with(kReturnTypes)) return write_parts("namedtuple", *type, keys, structure, leaves, next, depth);
    if (*type == "builtins.tuple" || *type == "builtins.list")
      return write_parts(type->substr(type->find('.') + 1), {}, {}, structure, leaves, next, depth);
    if (*type == "builtins.dict") return write_parts("dict", {}, keys, structure, leaves, next, depth);
    out_.begin_array().value("class").value(*type).value(context);
    const char* kind = keys.exists() ? "dict" : *type == "collections.deque" ? "list" : "tuple";
    if (!write_parts(kind, {}, keys, structure, leaves, next, depth)) return false;
    out_.end_array();
    return true;
  }

 private:
  /// Writes a tree of this kind with the parts of a structure; false also where it needs keys and has others.
  bool write_parts(std::string_view kind, std::string_view name, io::JsonValue keys, io::JsonValue structure,
                   const std::vector<Leaf>& leaves, size_t& next, int depth) {
    const io::JsonValue children = structure["children_spec"];
    const bool has_keys = kind == "dict" || kind == "namedtuple";
    if (has_keys && (!keys.exists() || keys.size() != children.size())) return false;
    out_.begin_array().value(kind);
    if (kind == "namedtuple") out_.value(name);
    for (size_t i = 0; i < children.size(); ++i) {
      if (has_keys) out_.begin_array().value(keys[i]);
      if (!write(children[i], leaves, next, depth + 1)) return false;
      if (has_keys) out_.end_array();
    }
    out_.end_array();
    return true;
  }

  /// Returns the keys that a context has for `count` parts: of a dictionary, or of a class that is registered as one.
  static io::JsonValue keys_in(io::JsonValue context, size_t count) {
    const auto are_keys = [&](io::JsonValue list) {
      if (!list.is_array() || list.size() != count) return false;
      for (io::JsonValue key : list.elements())
        if (!key.is_string() && !key.as_int()) return false;
      return true;
    };
    if (are_keys(context)) return context;
    for (io::JsonValue part : context.elements())
      if (are_keys(part)) return part;
    for (const io::JsonMember& member : context.members())
      if (are_keys(member.value)) return member.value;
    return {};
  }

  bool write_leaf(const Leaf& leaf) {
    if (leaf.tensor && (leaf.is_number || leaf.is_complex))
      out_.begin_array().value(leaf.is_number ? "number" : "complex").value(*leaf.tensor).end_array();
    else if (leaf.tensor)
      out_.value(*leaf.tensor);
    else
      out_.begin_array().value("constant").value(leaf.constant).end_array();
    return true;
  }

  io::JsonWriter& out_;
  io::JsonValue fields_;  // of each named tuple, by its type
};

bool is_leaf(io::JsonValue structure) { return !structure["type"].as_string(); }

bool are_leaves(io::JsonValue structures) {
  for (io::JsonValue structure : structures.elements())
    if (!is_leaf(structure)) return false;
  return true;
}

bool are_tensors(const std::vector<Leaf>& leaves) {
  return std::ranges::all_of(leaves, [](const Leaf& l) { return l.tensor && !l.is_number && !l.is_complex; });
}

/// A single tensor, or a tuple of several.
bool is_plain(io::JsonValue result) {
  if (is_leaf(result)) return true;
  io::JsonValue parts = result["children_spec"];
  return result["type"].as_string() == "builtins.tuple" && parts.size() > 1 && are_leaves(parts);
}

/// Writes named structures of arguments; false when one is damaged or too large.
bool write_arguments(io::JsonValue structures, io::JsonValue names, const std::vector<Leaf>& leaves, size_t& next,
                     NestingWriter& nesting, io::JsonWriter& out) {
  out.begin_array();
  for (size_t i = 0; i < structures.size(); ++i) {
    out.begin_array().value(names[i].as_string().value_or(""));
    if (!nesting.write(structures[i], leaves, next)) return false;
    out.end_array();
  }
  out.end_array();
  return true;
}

}  // namespace

std::optional<std::string> nesting_text(io::JsonValue module, const std::vector<Leaf>& inputs,
                                        const std::vector<Leaf>& results) {
  io::JsonValue signature = module["module_call_graph"][size_t{0}]["signature"];
  const auto parse = [](io::JsonValue text) { return io::JsonDocument::parse(text.as_string().value_or("null")); };
  const io::Result<io::JsonDocument> in = parse(signature["in_spec"]), out = parse(signature["out_spec"]);
  if (!in.ok() || !out.ok()) return std::nullopt;
  // Each is a version and a structure; that of the arguments is a pair of those by position and those by name.
  io::JsonValue pair = in->root()[size_t{1}]["children_spec"], result = out->root()[size_t{1}];
  if (pair.size() != 2 || !result.exists()) return std::nullopt;
  io::JsonValue positional = pair[size_t{0}]["children_spec"], named = pair[size_t{1}]["children_spec"];
  if (are_leaves(positional) && are_leaves(named) && are_tensors(inputs) && is_plain(result) && are_tensors(results))
    return std::nullopt;
  const io::Result<io::JsonDocument> keys = parse(pair[size_t{1}]["context"]);
  if (!keys.ok() || keys->root().size() != named.size()) return std::nullopt;

  io::JsonWriter writer;
  NestingWriter nesting(writer, module["treespec_namedtuple_fields"]);
  size_t input = 0, output = 0;
  writer.begin_object().key("positional");
  if (!write_arguments(positional, signature["forward_arg_names"], inputs, input, nesting, writer)) return std::nullopt;
  writer.key("named");
  if (!write_arguments(named, keys->root(), inputs, input, nesting, writer)) return std::nullopt;
  writer.key("results");
  if (!nesting.write(result, results, output)) return std::nullopt;
  writer.end_object();
  if (input != inputs.size() || output != results.size()) return std::nullopt;
  return writer.take();
}

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
