#include "passes/pattern/call_round.h"

#include <algorithm>

#include "ir/equal.h"
#include "passes/analysis/purity.h"

namespace sunmao {
namespace {

void collect(const Ref<Pattern>& p, std::vector<Ref<Pattern>> choices, std::vector<Alternative>& out) {
  const auto* choice = std::get_if<OrForm>(&p->form);
  if (!choice) return out.push_back({p, std::move(choices)});
  choices.push_back(p);
  collect(choice->left, choices, out);
  collect(choice->right, std::move(choices), out);
}

}  // namespace

std::vector<Alternative> alternatives_of(const Ref<Pattern>& pattern) {
  std::vector<Alternative> out;
  collect(pattern, {}, out);
  return out;
}

Ref<BindingBlock> CallRound::visit_block(const Ref<BindingBlock>& block) {
  std::vector<Bound> outer = std::exchange(unread_, {});
  Ref<BindingBlock> visited = Rewriter::visit_block(block);
  unread_ = std::move(outer);
  return visited;
}

void CallRound::visit(const Binding& b) {
  Expr value = Rewriter::visit(b.value);
  Expr other;
  for (size_t i = 0; !other && i < alternatives_.size(); ++i) other = offer(alternatives_[i], value);
  bind(b, other ? flatten(other) : value);
  if (find_impure_call(value)) {
    movable_.clear();
    unread_.clear();
  }
  Ref<Var> var = find_ref<Var>(Rewriter::visit(*b.var));
  if (!var) return;
  movable_.insert(var);
  if (tuples_ == Tuples::Written) return;
  std::vector<Ref<Var>> read = free_vars(value_of(var));
  std::erase_if(unread_, [&](const Bound& u) { return std::ranges::find(read, u.var) != read.end(); });
  if (b.is_match_cast() || !offer_tuple({b.var, var})) unread_.push_back({b.var, var});
}

std::optional<Matches> CallRound::find_match(const Ref<Pattern>& pattern, const Expr& e) const {
  return match(pattern, e, [&](const Ref<Var>& v) { return movable_value(v); });
}

Expr CallRound::offer(const Alternative& alternative, const Expr& value) {
  std::optional<Matches> found = find_match(alternative.pattern, value);
  if (!found) return nullptr;
  for (const Ref<Pattern>& choice : alternative.choices) found->emplace_back(choice, value);
  Expr other = rewrite_(value, *found);
  if (other == value || structural_equal(other, value)) return nullptr;
  ++replaced_;
  return other;
}

bool CallRound::offer_tuple(const Bound& last) {
  for (const Alternative& a : alternatives_) {
    const auto* tuple = std::get_if<TupleForm>(&a.pattern->form);
    if (!tuple || !tuple->is_ordered) continue;
    for (size_t i = tuple->fields.size(); i-- > 0;) {
      if (!find_match(tuple->fields[i], last.var)) continue;
      std::vector<Bound> chosen(tuple->fields.size());
      chosen[i] = last;
      Expr other = choose(a, chosen, 0);
      if (!other) continue;
      take_fields(chosen, other);
      return true;
    }
  }
  return false;
}

Expr CallRound::choose(const Alternative& alternative, std::vector<Bound>& chosen, size_t index) {
  const auto& fields = std::get<TupleForm>(alternative.pattern->form).fields;
  std::vector<Expr> vars;
  for (size_t i = 0; i < index; ++i) vars.push_back(chosen[i].var);
  if (index == fields.size()) return offer(alternative, Tuple::make(std::move(vars)));
  // The fields chosen so far must match jointly, because a pattern that occurs twice matches one expression.
  if (index > 1) {
    Ref<Pattern> begin =
        Pattern::make(TupleForm{{fields.begin(), fields.begin() + static_cast<ptrdiff_t>(index)}, true});
    if (!find_match(begin, Tuple::make(std::move(vars)))) return nullptr;
  }
  if (chosen[index].var) return choose(alternative, chosen, index + 1);
  for (const Bound& candidate : unread_) {
    bool taken = std::ranges::any_of(chosen, [&](const Bound& c) { return c.var == candidate.var; });
    if (taken || !find_match(fields[index], candidate.var)) continue;
    chosen[index] = candidate;
    if (Expr other = choose(alternative, chosen, index + 1)) return other;
    chosen[index] = {};
  }
  return nullptr;
}

void CallRound::take_fields(const std::vector<Bound>& chosen, const Expr& tuple) {
  Expr all = emit(flatten(tuple), "lv");
  auto place = [&](const Bound& b) { return std::ranges::find(unread_, b.var, &Bound::var); };
  std::vector<size_t> order(chosen.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](size_t i) { return place(chosen[i]); });
  for (size_t i : order) {
    const Ref<Var>& old = chosen[i].var;
    Expr field = TupleGetItem::make(all, static_cast<int>(i), old->span);
    Ref<Var> var = old->is_dataflow ? Var::make_dataflow(old->name, field->type) : Var::make(old->name, field->type);
    bind({var, field, nullptr, old->span}, field);
    replace(chosen[i].original, var);
    std::erase_if(unread_, [&](const Bound& u) { return u.var == old; });
  }
}

}  // namespace sunmao
