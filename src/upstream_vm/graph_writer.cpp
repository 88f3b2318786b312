#include "upstream_vm/graph_writer.h"

#include "support/diagnostic.h"
#include "sym/fold.h"

namespace sunmao {
namespace {

// Ops that are a builtin with the same arguments.
struct SameBuiltin {
  std::string_view op, builtin;
};
constexpr SameBuiltin kSame[] = {
    {"shape_of", "vm.builtin.shape_of"},
    {"tensor_to_shape", "vm.builtin.tensor_to_shape"},
    {"reshape", "vm.builtin.reshape"},
};

// Ops that print or inspect a value are functions of the host: `sunmao.…`.
bool is_of_host(const std::string& op) {
  return op == "print" || op == "assert_op" || op == "memory.view" || op == "shape_to_tensor" ||
         op.starts_with("inspect.tensor_");
}

[[noreturn]] void refuse(const Span& span, const std::string& what) {
  fail("E0549", span, fmt::format("no instruction on registers says {}", what),
       "lower the module first: relax.get_pipeline(\"default_build\")");
}

std::vector<Operand> with_first(Operand first, std::vector<Operand> rest) {
  rest.insert(rest.begin(), first);
  return rest;
}

}  // namespace

void GraphWriter::define_params(const Function& f) {
  for (const Ref<Var>& p : f.params) values_.emplace(p.get(), new_register());
}

Operand GraphWriter::value_of(const SeqExpr& seq) {
  for (const Ref<BindingBlock>& block : seq.blocks)
    for (const Binding& b : block->bindings) {
      if (b.is_match_cast() && !checked_.contains(find<Var>(b.value)))
        refuse(b.var->span, fmt::format("the match_cast of `{}`", b.var->name));
      Operand value = value_of(b.value);
      // A variable has a register of its own, so that `vm.kill_object` empties one name of a value only.
      if (find<Var>(b.value)) value = copied(value, new_register());
      values_.insert_or_assign(b.var.get(), value);
    }
  return value_of(seq.body);
}

std::vector<Operand> GraphWriter::values_of(const std::vector<Expr>& list) {
  std::vector<Operand> out;
  for (const Expr& e : list) out.push_back(value_of(e));
  return out;
}

Operand GraphWriter::value_of(const Var& var) {
  const auto found = values_.find(&var);
  if (found == values_.end()) refuse(var.span, fmt::format("`{}`, which nothing defines", var.name));
  return found->second;
}

Operand GraphWriter::value_of(const Expr& e) {
  switch (e->kind) {
    case ExprKind::Var: return value_of(*find<Var>(e));
    case ExprKind::Constant: return builder_.constant(find<Constant>(e)->data);
    case ExprKind::ShapeExpr: return shape(*find<ShapeExpr>(e));
    case ExprKind::PrimValue: return number(*find<PrimValue>(e));
    case ExprKind::StringLiteral: return builder_.constant(find<StringLiteral>(e)->value);
    case ExprKind::DTypeLiteral: return builder_.constant(find<DTypeLiteral>(e)->value.str());
    case ExprKind::Tuple: return call("vm.builtin.make_tuple", values_of(find<Tuple>(e)->fields), new_register());
    case ExprKind::TupleGetItem: {
      const auto& item = *find<TupleGetItem>(e);
      return call("vm.builtin.tuple_getitem", {value_of(item.tuple), builder_.constant(int64_t{item.index})},
                  new_register());
    }
    case ExprKind::If: return branch(*find<If>(e));
    case ExprKind::SeqExpr: return value_of(*find<SeqExpr>(e));
    case ExprKind::GlobalVar: return named(symbol_of(*find<GlobalVar>(e)));
    case ExprKind::ExternFunc: return named(find<ExternFunc>(e)->name);
    case ExprKind::Call: return value_of_call(*find<Call>(e));
    default: refuse(e->span, "this expression");
  }
}

Operand GraphWriter::shape(const ShapeExpr& e) {
  ShapeValue sizes;
  for (const Scalar& s : e.values) {
    const int64_t* size = find_int(s);
    if (!size) refuse(e.span, fmt::format("a shape with the size {}", describe(s)));
    sizes.push_back(*size);
  }
  return builder_.constant(std::move(sizes));
}

Operand GraphWriter::number(const PrimValue& e) {
  if (const auto* real = find<FloatImm>(e.value)) return builder_.constant(real->value);
  const int64_t* integer = find_int(e.value);
  if (!integer) refuse(e.span, fmt::format("the number {}", describe(e.value)));
  return builder_.constant(*integer);
}

Operand GraphWriter::named(const std::string& name) {
  builder_.declare(name);
  return builder_.function(name);
}

// A graph-level function is in the program under its global symbol.
std::string GraphWriter::symbol_of(const GlobalVar& var) const {
  const Ref<BaseFunc> f = module_.find(var.name);
  if (const auto* external = f ? find<ExternFunc>(Expr(f)) : nullptr) return external->name;
  const auto* function = f ? find<Function>(Expr(f)) : nullptr;
  const auto* symbol = function ? function->attr<std::string>("global_symbol") : nullptr;
  return symbol ? *symbol : var.name;
}

// A call without a result needs no register.
Operand GraphWriter::target_of(const Call& c) {
  const auto* tuple = c.type ? find<TupleType>(c.type) : nullptr;
  return tuple && tuple->fields.empty() ? kNothing : new_register();
}

Operand GraphWriter::value_of_call(const Call& c) {
  if (const Op* op = op_of(c)) return value_of_op(*op, c);
  if (const auto* external = find<ExternFunc>(c.callee)) {
    const bool is_check = external->name.starts_with("vm.builtin.check_") || external->name == "vm.builtin.match_shape";
    if (is_check && !c.args.empty()) checked_.insert(find<Var>(c.args[0]));
    return call(external->name, values_of(c.args), target_of(c));
  }
  if (const auto* g = find<GlobalVar>(c.callee)) return call(symbol_of(*g), values_of(c.args), target_of(c));
  Operand callee = value_of(c.callee);
  std::vector<Operand> args = values_of(c.args);
  // A variable may be another name of a function.
  if (callee.kind == Operand::Kind::Function) return call(builder_.name(callee), std::move(args), target_of(c));
  return invoke(callee, std::move(args), target_of(c));
}

Operand GraphWriter::invoke(Operand callee, std::vector<Operand> args, Operand to) {
  args.insert(args.begin(), {kState, callee});
  return call("vm.builtin.invoke_closure", std::move(args), to);
}

// Returns the values of argument `i`, a tuple, one by one.
std::vector<Operand> GraphWriter::unpacked(const Call& c, size_t i) {
  if (const auto* tuple = find<Tuple>(c.args[i])) return values_of(tuple->fields);
  refuse(c.span, fmt::format("`{}` of a tuple that stands elsewhere", op_of(c)->name()));
}

Operand GraphWriter::value_of_op(const Op& op, const Call& c) {
  const std::string& name = op.name();
  for (const auto& [known, builtin] : kSame)
    if (name == known) return call(std::string(builtin), values_of(c.args), target_of(c));
  if (name == "null_value") return kNothing;
  if (name == "vm.alloc_storage")
    return call("vm.builtin.alloc_storage", with_first(kState, values_of(c.args)), target_of(c));
  if (name == "vm.alloc_tensor") {
    std::vector<Operand> args = values_of(c.args);
    args.resize(std::min<size_t>(args.size(), 4));
    return call("vm.builtin.alloc_tensor", std::move(args), target_of(c));
  }
  if (name == "builtin.alloc_tensor") return alloc_tensor(c);
  if (name == "vm.kill_object") return kill(c);
  if (name == "make_closure")
    return call("vm.builtin.make_closure", with_first(value_of(c.args[0]), unpacked(c, 1)), target_of(c));
  if (name == "invoke_closure" || name == "invoke_pure_closure")
    return invoke(value_of(c.args[0]), unpacked(c, 1), target_of(c));
  if (name == "vm.call_tir_dyn") {
    return call("vm.builtin.call_tir_dyn", with_first(value_of(c.args[0]), unpacked(c, 1)), target_of(c));
  }
  if (name == "call_builtin_with_ctx" || name == "call_pure_packed" || name == "call_inplace_packed")
    return call_packed(c);
  if (is_of_host(name)) return call("sunmao." + name, with_format(c), target_of(c));
  refuse(c.span, fmt::format("`{}`", name));
}

// The format string first, if the call has one, then its arguments.
std::vector<Operand> GraphWriter::with_format(const Call& c) {
  std::vector<Operand> args = values_of(c.args);
  const auto* format = c.attrs.find<std::string>("format");
  return format ? with_first(builder_.constant(*format), std::move(args)) : args;
}

// A tensor in memory of its own. Arguments: a shape, a dtype, a device, a scope.
Operand GraphWriter::alloc_tensor(const Call& c) {
  const std::vector<Operand> given = values_of(c.args);
  const Operand shape = given.at(0), dtype = given.at(1);
  const Operand storage = call("vm.builtin.alloc_storage", {kState, shape, given.at(2), dtype}, new_register());
  return call("vm.builtin.alloc_tensor", {storage, builder_.constant(int64_t{0}), shape, dtype}, target_of(c));
}

Operand GraphWriter::kill(const Call& c) {
  const Operand value = value_of(c.args[0]);
  if (value.kind != Operand::Kind::Register || value == kNothing) refuse(c.span, "to forget a constant");
  return call("vm.builtin.null_value", {}, value);
}

Operand GraphWriter::call_packed(const Call& c) {
  const bool has_context = op_of(c)->name() == "call_builtin_with_ctx";
  const auto* external = find<ExternFunc>(c.args[0]);
  if (!external) refuse(c.span, fmt::format("`{}` of a value", op_of(c)->name()));
  std::vector<Operand> args = op_of(c)->is_variadic() ? values_of({c.args.begin() + 1, c.args.end()}) : unpacked(c, 1);
  if (has_context) args.insert(args.begin(), kState);
  return call(external->name, std::move(args), target_of(c));
}

}  // namespace sunmao
