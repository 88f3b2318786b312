// RelaxPrinter for bindings and branches.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/equal.h"
#include "script/relax_printer.h"

namespace sunmao::script {

std::string RelaxPrinter::annotated(const std::string& name, const Var& var, const Type& known, bool hides) {
  bool told = known && var.type && (known == var.type || structural_equal(known, var.type));
  const auto *prim = find<PrimType>(var.type), *value = find<PrimType>(known);
  if (told && prim && prim->value) return fmt::format("{}: {}", name, type(PrimType::make(prim->dtype)));
  if (prim && !prim->value && value && value->value)
    return fmt::format("{}: {}", name, fmt::format(fmt::runtime(kDtypeAlone), prim->dtype.str()));
  if (!var.type || (told && (hides || !state_.options.show_types))) return name;
  return fmt::format("{}: {}", name, type(var.type));
}

// Returns the variable's printed name and defines it if needed; the last binding of a branch may have the name of the
// `if` already.
std::string RelaxPrinter::name_for(const Var& var) {
  const std::string* known = names_.find(&var);
  return known ? *known : names_.define(&var, var.name);
}

namespace {

// True for calls whose `out_ty=` states the type already.
bool states_type(const Expr& value) {
  const auto* c = find<Call>(value);
  const Op* op = c ? op_of(*c) : nullptr;
  static constexpr std::string_view kWithType[] = {"call_tir", "call_dps_packed", "call_tir_inplace",
                                                   "call_tir_with_grad"};
  return op && std::ranges::find(kWithType, op->name()) != std::end(kWithType);
}

}  // namespace

void RelaxPrinter::binding(const Binding& b) {
  if (const auto* branch = find<If>(b.value)) return branch_binding(*branch, *b.var);
  if (const auto* nested = find<Function>(b.value)) return nested_function(*nested, *b.var);
  std::string value = expr(b.value);
  if (b.is_match_cast()) {
    value = fmt::format("R.match_cast({}, {})", value, type(b.cast_type));
    bool told = b.var->type == b.cast_type || (b.var->type && structural_equal(b.var->type, b.cast_type));
    std::string name = name_for(*b.var);
    bool is_short = told && !state_.options.show_types;
    body_->add(fmt::format("{} = {}", is_short ? name : annotated(name, *b.var, nullptr), value));
    return;
  }
  if (is_statement(b)) return body_->add(value);
  std::string name = name_for(*b.var);
  body_->add(fmt::format("{} = {}", annotated(name, *b.var, b.value->type, states_type(b.value)), value));
}

// True for a call made for its side effect: its result is an empty tuple that nothing uses.
bool RelaxPrinter::is_statement(const Binding& b) const {
  const auto *value = find<TupleType>(b.value->type), *var = find<TupleType>(b.var->type);
  return find<Call>(b.value) && value && var && value->fields.empty() && var->fields.empty() &&
         b.var->is_dataflow == in_dataflow_ && !used_.contains(b.var.get());
}

void RelaxPrinter::branch_binding(const If& branch, const Var& var) {
  std::string condition = expr(branch.condition);
  std::string name = name_for(var);
  body_->add(fmt::format("if {}:", condition));
  branch_body(*branch.then_branch, name, var, branch.type);
  body_->add("else:");
  branch_body(*branch.else_branch, name, var, branch.type);
}

// Prints the body of a branch, which ends by binding the name of the whole `if`: the last binding takes that name
// itself if it computes the branch's value with the same type, else `name = value` is added.
void RelaxPrinter::branch_body(const SeqExpr& seq, const std::string& name, const Var& var,
                               const Type& type_of_branch) {
  body_->indent();
  const Binding* last = nullptr;
  if (!seq.blocks.empty() && !seq.blocks.back()->is_dataflow && !seq.blocks.back()->bindings.empty())
    last = &seq.blocks.back()->bindings.back();
  bool is_named = last && Expr(last->var) == seq.body && (last->is_match_cast() || !is_leaf(last->value)) && var.type &&
                  last->var->type && type_of_branch && structural_equal(var.type, last->var->type) &&
                  structural_equal(var.type, type_of_branch);
  if (is_named) names_.set_text(last->var.get(), name);
  sequence(seq);
  if (!is_named) {
    std::string value = expr(seq.body);
    body_->add(fmt::format("{} = {}", annotated(name, var, nullptr), value));
  }
  body_->dedent();
}

// Prints an expression that cannot be nested in another one before the statement, as a binding or, for a sequence, as
// its bindings. Returns the text of its value.
std::string RelaxPrinter::hoisted(const Expr& e, const char* hint) {
  Ref<Var> var = Var::make(hint, e->type);
  if (const auto* seq = find<SeqExpr>(e)) {
    sequence(*seq);
    return expr(seq->body);
  }
  hoisted_.push_back(var);
  binding({var, e, nullptr, e->span});
  return *names_.find(var.get());
}

}  // namespace sunmao::script
