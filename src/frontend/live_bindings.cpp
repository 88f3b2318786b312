// Which bindings of a model its results need, and what became of each node.
#include <algorithm>

#include "frontend/model_builder.h"
#include "ir/walk.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

/// Symbols that expressions use.
class UsedSizes {
 public:
  void note(const Expr& e) { note(free_symbolic_vars(e)); }
  void note(const Binding& b) {
    note(b.value);
    if (b.is_match_cast()) note(free_symbols(b.cast_type));
  }
  bool meet(const Type& type) const {
    return std::ranges::any_of(defined_symbols(type), [&](const Ref<SymVar>& s) { return used_.contains(s); });
  }

 private:
  void note(const std::vector<Ref<SymVar>>& symbols) { used_.insert(symbols.begin(), symbols.end()); }

  std::unordered_set<Ref<SymVar>> used_;
};

}  // namespace

std::vector<Binding> ModelBuilder::live_bindings(const std::vector<Expr>& results) {
  std::vector<bool> is_live(bindings_.size()), is_read(bindings_.size());
  const auto mark = [this](std::vector<bool>& marks, const Ref<Var>& var) {
    if (auto it = binding_of_.find(var); it != binding_of_.end()) marks[it->second] = true;
  };
  for (const Expr& r : results)
    for (const Ref<Var>& v : free_vars(r)) mark(is_live, v);
  for (const Ref<Var>& v : read_) mark(is_read, v);
  for (size_t i = 0; i < bindings_.size(); ++i)
    if (bindings_[i].binding.is_match_cast() && !bindings_[i].defines_sizes) is_live[i] = true;
  const bool has_sizes = std::ranges::any_of(bindings_, &Bound::defines_sizes);
  UsedSizes sizes;
  if (has_sizes)
    for (const Expr& r : results) sizes.note(r);
  for (size_t i = bindings_.size(); i-- > 0;) {
    const Binding& binding = bindings_[i].binding;
    if (bindings_[i].defines_sizes && sizes.meet(binding.cast_type)) is_live[i] = true;
    if (!is_live[i] && !is_read[i]) continue;
    if (has_sizes && is_live[i]) sizes.note(binding);
    for (const Ref<Var>& v : free_vars(binding.value)) {
      mark(is_live[i] ? is_live : is_read, v);
      if (is_read[i]) read_.insert(v);
    }
  }
  close_account(is_live, is_read);
  std::vector<Binding> out;
  for (size_t i = 0; i < bindings_.size(); ++i)
    if (is_live[i]) out.push_back(bindings_[i].binding);
  return out;
}

void ModelBuilder::close_account(const std::vector<bool>& is_live, const std::vector<bool>& is_read) {
  constexpr const char* kReasons[] = {"", "its value is known while reading", "no output depends on it"};
  for (NodeAccount& node : account_) {
    if (!node.reason.empty()) continue;  // noted by the reader
    node.fate = Fate::Folded;
    node.reason = "its result is its input or a number";
  }
  for (const Bound& b : bindings_)
    if (b.node != kNoNode) account_[b.node].fate = Fate::Dropped;
  for (size_t node : nodes_of_bodies_)
    if (node != kNoNode) {
      account_[node].fate = Fate::Mapped;
      ++account_[node].bindings;
      account_[node].reason = kReasons[static_cast<size_t>(Fate::Mapped)];
    }
  for (size_t i = 0; i < bindings_.size(); ++i) {
    if (bindings_[i].node == kNoNode) continue;
    NodeAccount& node = account_[bindings_[i].node];
    if (is_live[i]) {
      node.fate = Fate::Mapped;
      ++node.bindings;
    } else if (is_read[i] && node.fate == Fate::Dropped) {
      node.fate = Fate::Folded;
    }
    node.reason = kReasons[static_cast<size_t>(node.fate)];
  }
}

}  // namespace sunmao
