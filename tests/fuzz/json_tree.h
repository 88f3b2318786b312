// JSON as a tree that can be changed and printed again.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "io/json.h"

namespace sunmao::fuzz {

struct Tree {
  io::JsonKind kind = io::JsonKind::Null;
  int64_t integer = 0;  // of a bool as well
  double real = 0;
  std::string text;
  std::vector<Tree> items;        // of an array, or the values of an object
  std::vector<std::string> keys;  // of an object

  static Tree of(io::JsonValue value);
  static Tree of_int(int64_t value);
  static Tree of_text(std::string value);
  static Tree of_bool(bool value);
  static Tree of_list(std::vector<Tree> items);
  static Tree of_object(std::vector<std::pair<std::string, Tree>> members);

  bool is_array() const { return kind == io::JsonKind::Array; }
  bool is_object() const { return kind == io::JsonKind::Object; }
  /// Returns the member of an object, or null.
  Tree* find(std::string_view key);
  /// Follows keys; null where there is none.
  Tree* at(std::initializer_list<std::string_view> path);
  void set(std::string key, Tree value);
  void erase(size_t index);
  std::string print() const;
};

}  // namespace sunmao::fuzz
