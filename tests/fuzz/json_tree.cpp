#include "tests/fuzz/json_tree.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sunmao::fuzz {
namespace {

using io::JsonKind;

void print_text(const std::string& text, std::string& out) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  out += '"';
}

void print_to(const Tree& tree, std::string& out) {
  switch (tree.kind) {
    case JsonKind::Bool: out += tree.integer ? "true" : "false"; return;
    case JsonKind::Int: out += std::to_string(tree.integer); return;
    case JsonKind::Double: {
      char number[40];
      std::snprintf(number, sizeof number, "%.17e", std::isfinite(tree.real) ? tree.real : 0.0);
      out += number;
      return;
    }
    case JsonKind::String: return print_text(tree.text, out);
    case JsonKind::Array:
    case JsonKind::Object:
      out += tree.is_array() ? '[' : '{';
      for (size_t i = 0; i < tree.items.size(); ++i) {
        if (i > 0) out += ',';
        if (tree.is_object()) print_text(i < tree.keys.size() ? tree.keys[i] : "added", out), out += ':';
        print_to(tree.items[i], out);
      }
      out += tree.is_array() ? ']' : '}';
      return;
    default: out += "null";
  }
}

}  // namespace

Tree Tree::of(io::JsonValue value) {
  Tree tree{.kind = value.kind(), .text = {}, .items = {}, .keys = {}};
  if (value.as_bool()) tree.integer = *value.as_bool();
  if (value.as_int()) tree.integer = *value.as_int();
  if (value.as_double()) tree.real = *value.as_double();
  if (value.as_string()) tree.text = *value.as_string();
  for (io::JsonValue element : value.elements()) tree.items.push_back(of(element));
  for (const io::JsonMember& member : value.members()) {
    tree.keys.emplace_back(member.key);
    tree.items.push_back(of(member.value));
  }
  return tree;
}

Tree Tree::of_int(int64_t value) {
  Tree tree;
  tree.kind = JsonKind::Int, tree.integer = value;
  return tree;
}

Tree Tree::of_text(std::string value) {
  Tree tree;
  tree.kind = JsonKind::String, tree.text = std::move(value);
  return tree;
}

Tree Tree::of_bool(bool value) {
  Tree tree;
  tree.kind = JsonKind::Bool, tree.integer = value;
  return tree;
}

Tree Tree::of_list(std::vector<Tree> items) {
  Tree tree;
  tree.kind = JsonKind::Array, tree.items = std::move(items);
  return tree;
}

Tree Tree::of_object(std::vector<std::pair<std::string, Tree>> members) {
  Tree tree;
  tree.kind = JsonKind::Object;
  for (auto& [key, value] : members) tree.set(key, std::move(value));
  return tree;
}

Tree* Tree::find(std::string_view key) {
  const auto it = std::ranges::find(keys, key);
  return it == keys.end() ? nullptr : &items[static_cast<size_t>(it - keys.begin())];
}

Tree* Tree::at(std::initializer_list<std::string_view> path) {
  Tree* tree = this;
  for (std::string_view key : path)
    if (tree) tree = tree->find(key);
  return tree;
}

void Tree::set(std::string key, Tree value) {
  if (Tree* member = find(key)) {
    *member = std::move(value);
    return;
  }
  keys.push_back(std::move(key));
  items.push_back(std::move(value));
}

void Tree::erase(size_t index) {
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
  if (is_object() && index < keys.size()) keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(index));
}

std::string Tree::print() const {
  std::string out;
  print_to(*this, out);
  return out;
}

}  // namespace sunmao::fuzz
