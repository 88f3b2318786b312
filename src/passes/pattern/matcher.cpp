#include "passes/pattern/matcher.h"

#include <algorithm>
#include <unordered_map>

#include "ir/equal.h"
#include "ir/op.h"
#include "passes/pattern/type_matcher.h"

namespace sunmao {
namespace {

using Patterns = std::vector<Ref<Pattern>>;

// Normalizes an attribute value: integers, and lists of integers, have several representations.
AttrValue plain(const AttrValue& value) {
  const Scalar* scalar = value.find<Scalar>();
  const int64_t* number = scalar ? find_int(*scalar) : nullptr;
  if (number) return (*scalar)->dtype.is_bool() ? AttrValue(*number != 0) : AttrValue(*number);
  if (std::optional<std::vector<int64_t>> ints = value.as_ints()) return AttrValue::ints(*ints);
  return value;
}

bool same_attr(const AttrValue& a, const AttrValue& b) {
  Equality equality;
  return equal(Attrs({{"value", plain(a)}}), Attrs({{"value", plain(b)}}), equality);
}

bool has_attrs(const Attrs& wanted, const Attrs& given) {
  return std::ranges::all_of(wanted.values(), [&](const auto& entry) {
    const AttrValue* found = given.find(entry.first);
    return found && same_attr(entry.second, *found);
  });
}

bool is_named(const std::string& wanted, const std::string& name) { return wanted.empty() || wanted == name; }

class Matcher {
 public:
  explicit Matcher(const ValueOf& value_of) : value_of_(value_of) {}

  bool visit(const Ref<Pattern>& pattern, const Expr& e) {
    auto known = memo_.find(pattern);
    if (known != memo_.end()) return known->second == e;
    Mark before = mark();
    bool matched = std::visit([&](const auto& form) { return visit(form, e); }, pattern->form);
    if (!matched) {
      undo(before);
      return false;
    }
    memo_.emplace(pattern, e);
    trail_.emplace_back(pattern, e);
    return true;
  }

  Matches take() { return std::move(trail_); }

 private:
  struct Mark {
    size_t matches, symbols;
  };
  Mark mark() const { return {trail_.size(), types_.mark()}; }
  void undo(const Mark& m) {
    for (; trail_.size() > m.matches; trail_.pop_back()) memo_.erase(trail_.back().first);
    types_.undo(m.symbols);
  }

  Expr value(Expr e) const {
    while (Ref<Var> var = find_ref<Var>(e)) {
      auto local = local_.find(var);
      Expr bound = local != local_.end() ? local->second : value_of_ ? value_of_(var) : Expr();
      if (!bound) break;
      e = std::move(bound);
    }
    return e;
  }

  bool visit(const WildcardForm&, const Expr&) { return true; }
  bool visit(const ExprForm& form, const Expr& e) {
    Expr found = value(e);
    return found == form.expr || structural_equal(found, form.expr);
  }
  bool visit(const VarForm& form, const Expr& e) {
    const auto* var = find<Var>(e);
    return var && is_named(form.name, var->name) && (var->is_dataflow || !form.is_dataflow_only);
  }
  bool visit(const GlobalVarForm& form, const Expr& e) {
    Expr found = value(e);
    const auto* var = find<GlobalVar>(found);
    return var && is_named(form.name, var->name);
  }
  bool visit(const ExternFuncForm& form, const Expr& e) {
    Expr found = value(e);
    const auto* function = find<ExternFunc>(found);
    return function && is_named(form.name, function->name);
  }
  bool visit(const ConstantForm&, const Expr& e) { return find<Constant>(value(e)) != nullptr; }

  bool visit(const CallForm& form, const Expr& e) {
    Ref<Call> call = find_ref<Call>(value(e));
    if (!call || !visit(form.callee, call->callee)) return false;
    size_t wanted = form.args.size(), given = call->args.size();
    if (form.may_have_more ? wanted > given : wanted != given) return false;
    Mark before = mark();
    if (visit_each(form.args, call->args)) return true;
    undo(before);
    if (wanted != 2 || !is_commutative(*call)) return false;
    return visit(form.args[0], call->args[1]) && visit(form.args[1], call->args[0]);
  }

  bool visit(const FunctionForm& form, const Expr& e) {
    Ref<Function> f = find_ref<Function>(value(e));
    if (!f || f->params.size() != form.params.size()) return false;
    for (size_t i = 0; i < f->params.size(); ++i)
      if (!visit(form.params[i], f->params[i])) return false;
    for (const Ref<BindingBlock>& block : f->body->blocks)
      for (const Binding& b : block->bindings) local_.emplace(b.var, b.value);
    return visit(form.body, f->body->body);
  }

  bool visit(const TupleForm& form, const Expr& e) {
    Expr found = value(e);
    const auto* tuple = find<Tuple>(found);
    if (!tuple || tuple->fields.size() != form.fields.size()) return false;
    if (form.is_ordered) return visit_each(form.fields, tuple->fields);
    std::vector<bool> used(tuple->fields.size());
    return visit_in_any_order(form.fields, 0, tuple->fields, used);
  }

  bool visit(const TupleItemForm& form, const Expr& e) {
    Expr found = value(e);
    const auto* item = find<TupleGetItem>(found);
    return item && (form.index == kAnyIndex || form.index == item->index) && visit(form.tuple, item->tuple);
  }

  bool visit(const OrForm& form, const Expr& e) { return visit(form.left, e) || visit(form.right, e); }
  bool visit(const AndForm& form, const Expr& e) { return visit(form.left, e) && visit(form.right, e); }
  bool visit(const NotForm& form, const Expr& e) {
    Mark before = mark();
    bool matched = visit(form.rejected, e);
    undo(before);
    return !matched;
  }

  bool visit(const TypeForm& form, const Expr& e) { return types_.match(form.type, e->type) && visit(form.pattern, e); }
  bool visit(const DTypeForm& form, const Expr& e) {
    const auto* tensor = find<TensorType>(e->type);
    const auto* prim = find<PrimType>(e->type);
    bool same = tensor ? tensor->dtype == form.dtype : prim && prim->dtype == form.dtype;
    return same && visit(form.pattern, e);
  }
  bool visit(const ShapeForm& form, const Expr& e) {
    const auto* tensor = find<TensorType>(e->type);
    return tensor && tensor->dims() && types_.equal(form.shape, *tensor->dims()) && visit(form.pattern, e);
  }
  bool visit(const ShapeValueForm& form, const Expr& e) {
    Expr found = value(e);
    const auto* shape = find<ShapeExpr>(found);
    return shape && types_.equal(form.values, shape->values);
  }
  bool visit(const AttrForm& form, const Expr& e) {
    if (!visit(form.pattern, e)) return false;
    Expr found = value(e);
    if (const auto* call = find<Call>(found)) return has_attrs(form.attrs, call->attrs);
    if (const auto* function = find<BaseFunc>(found)) return has_attrs(form.attrs, function->attrs);
    return form.attrs.empty();
  }

  // Matches pattern by pattern; `exprs` may be longer.
  bool visit_each(const Patterns& patterns, const std::vector<Expr>& exprs) {
    for (size_t i = 0; i < patterns.size(); ++i)
      if (!visit(patterns[i], exprs[i])) return false;
    return true;
  }

  bool visit_in_any_order(const Patterns& patterns, size_t at, const std::vector<Expr>& exprs,
                          std::vector<bool>& used) {
    if (at == patterns.size()) return true;
    for (size_t i = 0; i < exprs.size(); ++i) {
      if (used[i]) continue;
      Mark before = mark();
      used[i] = true;
      if (visit(patterns[at], exprs[i]) && visit_in_any_order(patterns, at + 1, exprs, used)) return true;
      used[i] = false;
      undo(before);
    }
    return false;
  }

  const ValueOf& value_of_;
  std::unordered_map<Ref<Var>, Expr> local_;  // values bound inside functions whose bodies are matched
  std::unordered_map<Ref<Pattern>, Expr> memo_;
  Matches trail_;
  TypeMatcher types_;
};

}  // namespace

std::optional<Matches> match(const Ref<Pattern>& pattern, const Expr& e, const ValueOf& value_of) {
  Matcher matcher(value_of);
  if (!matcher.visit(pattern, e)) return std::nullopt;
  return matcher.take();
}

bool is_commutative(const Call& call) {
  const Op* op = op_of(call);
  return op && op->info.is_commutative && call.args.size() == 2;
}

}  // namespace sunmao
