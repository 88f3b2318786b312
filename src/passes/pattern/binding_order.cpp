#include "passes/pattern/binding_order.h"

#include <algorithm>

#include "ir/walk.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

class Order {
 public:
  Order(const std::vector<Binding>& bindings, const std::function<void(const Var&)>& on_cycle,
        const SymbolDefiners& definers)
      : bindings_(bindings), needs_(bindings, definers), on_cycle_(on_cycle), state_(bindings.size()) {}

  std::vector<Binding> run() {
    for (size_t i = 0; i < bindings_.size(); ++i) place(i);
    return std::move(placed_);
  }

 private:
  enum class State : uint8_t { Waiting, Begun, Placed };
  struct Frame {
    size_t index;
    std::vector<size_t> needs;
    size_t next = 0;
  };

  void place(size_t start) {
    std::vector<Frame> stack;
    begin(start, stack);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.needs.size()) {
        begin(top.needs[top.next++], stack);
        continue;
      }
      state_[top.index] = State::Placed;
      placed_.push_back(bindings_[top.index]);
      stack.pop_back();
    }
  }

  void begin(size_t index, std::vector<Frame>& stack) {
    if (state_[index] == State::Placed) return;
    if (state_[index] == State::Begun) on_cycle_(*bindings_[index].var);
    state_[index] = State::Begun;
    stack.push_back({index, needs_.of(index)});
  }

  const std::vector<Binding>& bindings_;
  const BindingNeeds needs_;
  const std::function<void(const Var&)>& on_cycle_;
  std::vector<State> state_;
  std::vector<Binding> placed_;
};

class DefinerSearch final : public Visitor {
 public:
  explicit DefinerSearch(const Function& f) {
    for (const Ref<Var>& p : f.params) note(p->type);
    Visitor::visit(*f.body);
  }
  SymbolDefiners found;

 private:
  using Visitor::visit;
  void note(const Type& type) {
    if (!type) return;
    for (const Ref<SymVar>& s : free_symbols(type)) known_.insert(s);
  }
  void visit(const Binding& b) override {
    Visitor::visit(b);
    if (b.is_match_cast())
      for (const Ref<SymVar>& s : defined_symbols(b.cast_type))
        if (!known_.contains(s)) found.emplace(s, b.var);
    note(b.var->type);
  }
  std::unordered_set<Ref<SymVar>> known_;
};

}  // namespace

SymbolDefiners symbol_definers(const Function& f) { return DefinerSearch(f).found; }

BindingNeeds::BindingNeeds(std::span<const Binding> bindings, const SymbolDefiners& definers)
    : bindings_(bindings), definers_(definers) {
  for (size_t i = 0; i < bindings.size(); ++i) homes_.emplace(bindings[i].var, i);
}

std::vector<size_t> BindingNeeds::of(size_t i) const {
  std::vector<size_t> out;
  for (const Ref<Var>& read : free_vars(bindings_[i].value))
    if (auto it = homes_.find(read); it != homes_.end()) out.push_back(it->second);
  if (!definers_.empty()) add_definers(i, out);
  return out;
}

void BindingNeeds::add_definers(size_t i, std::vector<size_t>& out) const {
  for (const std::vector<Ref<SymVar>>& symbols :
       {free_symbols(bindings_[i].var->type), free_symbolic_vars(bindings_[i].value)})
    for (const Ref<SymVar>& s : symbols) {
      auto definer = definers_.find(s);
      auto it = definer == definers_.end() ? homes_.end() : homes_.find(definer->second);
      if (it != homes_.end() && it->second != i && std::ranges::find(out, it->second) == out.end())
        out.push_back(it->second);
    }
}

std::vector<Binding> in_order(const std::vector<Binding>& bindings, const std::function<void(const Var&)>& on_cycle,
                              const SymbolDefiners& definers) {
  return Order(bindings, on_cycle, definers).run();
}

}  // namespace sunmao
