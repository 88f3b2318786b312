// NameTable: one name for each thing that a printed function mentions, no two the same where both can be seen.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "support/ref.h"

namespace sunmao::script {

class NameTable {
 public:
  NameTable();
  /// From here on names end in the address of what they name.
  void show_addresses() { shows_addresses_ = true; }
  /// A name near `hint` for `node`, until the innermost open scope ends.
  const std::string& define(const Node* node, const std::string& hint);
  /// The same, until the whole function ends.
  const std::string& define_outermost(const Node* node, const std::string& hint);
  /// What to write for `node` where that is no name, such as `A.data`.
  void set_text(const Node* node, std::string text);
  const std::string* find(const Node* node) const;
  std::string fresh(const std::string& hint);

  void push() { scopes_.emplace_back(); }
  void pop();

 private:
  struct Entry {
    const Node* node;
    std::string name, base;  // both empty for texts
  };
  const std::string& define_in(std::vector<Entry>& scope, const Node* node, const std::string& hint);
  std::string unused(const std::string& base);

  std::unordered_map<const Node*, std::string> names_;
  std::unordered_map<std::string, int> used_;  // how many suffixes were tried on a name in use
  std::vector<std::vector<Entry>> scopes_;
  bool shows_addresses_ = false;
};

class NameScope {
 public:
  explicit NameScope(NameTable& names) : names_(names) { names_.push(); }
  ~NameScope() { names_.pop(); }
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

 private:
  NameTable& names_;
};

}  // namespace sunmao::script
