// NameTable: assigns a name to each node that a printed function mentions, unique among those visible together.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "support/ref.h"

namespace sunmao::script {

class NameTable {
 public:
  NameTable();
  /// Appends the address of the named node to every name defined from here on.
  void show_addresses() { shows_addresses_ = true; }
  /// Defines a name similar to `hint` for `node`, visible until the innermost open scope ends.
  const std::string& define(const Node* node, const std::string& hint);
  /// Defines a name similar to `hint` for `node`, visible until the function ends.
  const std::string& define_outermost(const Node* node, const std::string& hint);
  /// Sets an expression such as `A.data` as the text of `node`, in place of a name.
  void set_text(const Node* node, std::string text);
  const std::string* find(const Node* node) const;
  std::string fresh(const std::string& hint);

  void push() { scopes_.emplace_back(); }
  void pop();

 private:
  struct Entry {
    const Node* node;
    std::string name, base;  // both empty for a text
  };
  const std::string& define_in(std::vector<Entry>& scope, const Node* node, const std::string& hint);
  std::string unused(const std::string& base);

  std::unordered_map<const Node*, std::string> names_;
  std::unordered_map<std::string, int> used_;  // per name in use: how many suffixes have been tried
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
