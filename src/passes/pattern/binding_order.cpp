#include "passes/pattern/binding_order.h"

#include <unordered_map>

#include "ir/walk.h"

namespace sunmao {
namespace {

class Order {
 public:
  Order(const std::vector<Binding>& bindings, const std::function<void(const Var&)>& on_cycle)
      : bindings_(bindings), on_cycle_(on_cycle), state_(bindings.size()) {
    for (size_t i = 0; i < bindings.size(); ++i) home_.emplace(bindings[i].var, i);
  }

  std::vector<Binding> run() {
    for (size_t i = 0; i < bindings_.size(); ++i) place(i);
    return std::move(placed_);
  }

 private:
  enum class State : uint8_t { Waiting, Begun, Placed };
  struct Frame {
    size_t index;
    std::vector<Ref<Var>> reads;
    size_t next = 0;
  };

  void place(size_t start) {
    std::vector<Frame> stack;
    begin(start, stack);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.reads.size()) {
        auto it = home_.find(top.reads[top.next++]);
        if (it != home_.end()) begin(it->second, stack);
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
    stack.push_back({index, free_vars(bindings_[index].value)});
  }

  const std::vector<Binding>& bindings_;
  const std::function<void(const Var&)>& on_cycle_;
  std::vector<State> state_;
  std::unordered_map<Ref<Var>, size_t> home_;
  std::vector<Binding> placed_;
};

}  // namespace

std::vector<Binding> in_order(const std::vector<Binding>& bindings, const std::function<void(const Var&)>& on_cycle) {
  return Order(bindings, on_cycle).run();
}

}  // namespace sunmao
