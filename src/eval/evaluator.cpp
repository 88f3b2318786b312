#include "eval/evaluator.h"

#include <fmt/ranges.h>

#include <cstring>
#include <unordered_map>

#include "eval/instructions.h"
#include "eval/interpreter.h"
#include "ir/op.h"
#include "ops/lowering.h"
#include "support/diagnostic.h"
#include "sym/fold.h"
#include "sym/walk.h"

namespace sunmao {

std::string describe(const Value& value) {
  if (const Array* a = value.array())
    return fmt::format("{} array of shape ({})", a->dtype().str(), fmt::join(a->shape(), ", "));
  if (const ValueTuple* t = value.tuple()) return fmt::format("tuple of {}", t->size());
  if (const ShapeValue* s = value.shape()) return fmt::format("shape ({})", fmt::join(*s, ", "));
  if (const auto* i = std::get_if<int64_t>(&value.v)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&value.v)) return fmt::format("{}", *d);
  return std::holds_alternative<std::string>(value.v) ? "text" : "nothing";
}

namespace {

class Frame {
 public:
  explicit Frame(const Module& module) : module_(module) {}

  Value run(const Function& f, const std::vector<Value>& args, const std::string& name) {
    if (args.size() != f.params.size())
      fail("E0505", f.span, fmt::format("`{}` takes {} arguments, got {}", name, f.params.size(), args.size()));
    for (size_t i = 0; i < args.size(); ++i) match(f.params[i]->type, args[i], f.params[i]->name, /*define=*/true);
    for (size_t i = 0; i < args.size(); ++i) {
      match(f.params[i]->type, args[i], f.params[i]->name, /*define=*/false);
      vars_[f.params[i].get()] = args[i];
    }
    return eval(*f.body);
  }

  Value eval_call(const Call& c, const std::vector<Value>& args) {
    if (const Op* op = op_of(c)) return eval_op(*op, c, args);
    if (const auto* g = find<GlobalVar>(c.callee)) {
      Ref<BaseFunc> func = module_.find(g->name);
      if (const auto* f = find<Function>(Expr(func))) return Frame(module_).run(*f, args, g->name);
    }
    if (const auto* v = find<Var>(c.callee)) {
      auto closure = closures_.find(v);
      if (closure != closures_.end()) {
        Frame inner = *this;
        return inner.run(*closure->second, args, v->name);
      }
    }
    fail("E0507", c.span, "the evaluator cannot call this");
  }

 private:
  Value eval(const SeqExpr& seq) {
    for (const Ref<BindingBlock>& block : seq.blocks) {
      for (const Binding& b : block->bindings) {
        if (const auto* f = find<Function>(b.value)) {
          closures_[b.var.get()] = Ref<Function>(f);
          continue;
        }
        Value v = eval(b.value);
        if (b.is_match_cast()) {
          match(b.cast_type, v, b.var->name, true);
          match(b.cast_type, v, b.var->name, false);
        }
        vars_[b.var.get()] = std::move(v);
      }
    }
    return eval(seq.body);
  }

  Value eval(const Expr& e) {
    switch (e->kind) {
      case ExprKind::Var: {
        auto it = vars_.find(e.get());
        SUNMAO_CHECK(it != vars_.end(), "`{}` has no value", find<Var>(e)->name);
        return it->second;
      }
      case ExprKind::Constant: return find<Constant>(e)->data;
      case ExprKind::ShapeExpr: {
        ShapeValue shape;
        for (const Scalar& s : find<ShapeExpr>(e)->values) shape.push_back(value_of(s));
        return shape;
      }
      case ExprKind::PrimValue: {
        const Scalar& s = find<PrimValue>(e)->value;
        if (const auto* f = find<FloatImm>(s)) return f->value;
        return value_of(s);
      }
      case ExprKind::StringLiteral: return find<StringLiteral>(e)->value;
      case ExprKind::Tuple: {
        ValueTuple fields;
        for (const Expr& f : find<Tuple>(e)->fields) fields.push_back(eval(f));
        return fields;
      }
      case ExprKind::TupleGetItem: {
        Value t = eval(find<TupleGetItem>(e)->tuple);
        return t.tuple()->at(static_cast<size_t>(find<TupleGetItem>(e)->index));
      }
      case ExprKind::If: {
        const auto& n = *find<If>(e);
        Value c = eval(n.condition);
        bool yes = c.array() ? c.array()->data()[0] != std::byte{} : std::get<int64_t>(c.v) != 0;
        return eval(yes ? *n.then_branch : *n.else_branch);
      }
      case ExprKind::SeqExpr: return eval(*find<SeqExpr>(e));
      case ExprKind::Call: {
        const auto& c = *find<Call>(e);
        std::vector<Value> args;
        for (const Expr& a : c.args) args.push_back(find<GlobalVar>(a) || find<ExternFunc>(a) ? Value() : eval(a));
        return eval_call(c, args);
      }
      default: fail("E0507", e->span, "the evaluator cannot compute this expression");
    }
  }

  Value eval_op(const Op& op, const Call& c, const std::vector<Value>& args) {
    if (op.name() == "call_tir") {
      Ref<PrimFunc> f = module_.find_as<PrimFunc>(find<GlobalVar>(c.args[0])->name);
      if (!f) fail("E0507", c.span, fmt::format("`{}` is not a loop-level function", find<GlobalVar>(c.args[0])->name));
      return run_kernel(*f, *args[1].tuple(), c.type, args.size() > 2 ? *args[2].shape() : ShapeValue());
    }
    if (std::optional<Value> done = run_instruction(op, args)) return *done;
    if (op.info.lower) {
      Ref<PrimFunc> f = find_ref<PrimFunc>(Expr(kernel_of(c)));
      if (!f) fail("E0507", c.span, fmt::format("the evaluator cannot run `{}` here", op.name()));
      std::vector<Value> tensors;
      for (const Value& arg : args) {
        if (arg.array()) tensors.push_back(arg);
        if (!arg.tuple()) continue;
        for (const Value& field : *arg.tuple())
          if (field.array()) tensors.push_back(field);
      }
      ShapeValue scalars;
      for (const PrimParam& p : f->params)
        if (!p.buffer) scalars.push_back(value_of(p.var));
      return run_kernel(*f, tensors, c.type, scalars);
    }
    if (op.info.decompose) {
      Expr simpler = op.info.decompose(c);
      if (simpler.get() == &c) fail("E0507", c.span, fmt::format("the evaluator cannot run `{}` here", op.name()));
      for (size_t i = 0; i < c.args.size(); ++i)
        if (simpler == c.args[i]) return args[i];
      return eval(simpler);
    }
    fail("E0507", c.span, fmt::format("the evaluator cannot run `{}`", op.name()));
  }

  Value run_kernel(const PrimFunc& f, const std::vector<Value>& inputs, const Type& type, const ShapeValue& scalars) {
    std::vector<ArrayBuilder> outputs;
    const auto* tuple = find<TupleType>(type);
    std::vector<Type> types = tuple ? tuple->fields : std::vector{type};
    for (const Type& t : types) {
      const auto* tensor = find<TensorType>(t);
      SUNMAO_CHECK(tensor && tensor->dims(), "a kernel's result has no known shape: {}", describe(t));
      std::vector<int64_t> shape;
      for (const Scalar& d : *tensor->dims()) shape.push_back(value_of(d));
      outputs.emplace_back(tensor->dtype, std::move(shape));
    }
    // Kernels read their inputs and write their outputs alone, but take all as plain memory: copies keep inputs const.
    std::vector<ArrayBuilder> copies;
    std::vector<KernelArgument> args;
    for (const Value& v : inputs) {
      const Array& a = *v.array();
      copies.emplace_back(a.dtype(), a.shape());
      std::memcpy(copies.back().data(), a.data(), a.size_bytes());
      args.push_back({.data = copies.back().data(), .shape = a.shape()});
    }
    std::vector<Array> results;
    for (ArrayBuilder& b : outputs) {
      std::byte* data = b.data();
      results.push_back(std::move(b).finish());
      args.push_back({.data = data, .shape = results.back().shape()});
    }
    for (int64_t s : scalars) args.push_back({.scalar = s});
    interpret(f, args);
    if (!tuple) return results[0];
    return ValueTuple(results.begin(), results.end());
  }

  int64_t value_of(const Scalar& s) {
    if (const int64_t* i = find_int(s)) return *i;
    if (find<SymVar>(s)) {
      auto it = symbols_.find(s.get());
      SUNMAO_CHECK(it != symbols_.end(), "symbol `{}` has no value", find<SymVar>(s)->name);
      return it->second;
    }
    Scalar folded = map_children(s, [&](const Scalar& child) {
      return child->dtype.is_integral() ? IntImm::make(child->dtype, value_of(child)) : child;
    });
    Scalar result = fold_constants(folded);
    const int64_t* value = result ? find_int(result) : nullptr;
    if (!value) fail("E0506", s->span, fmt::format("`{}` has no value here", describe(s)));
    return *value;
  }

  // With `define`, bare symbols of the type take the value's dimensions; without, every dimension is checked.
  void match(const Type& type, const Value& value, const std::string& name, bool define) {
    const auto* tensor = find<TensorType>(type);
    const Array* array = value.array();
    if (tensor && !array)
      fail("E0505", {}, fmt::format("`{}`: expected {}, got {}", name, describe(type), describe(value)));
    if (tensor) {
      bool fits = (tensor->dtype.is_void() || tensor->dtype == array->dtype()) &&
                  (tensor->rank == kUnknownRank || tensor->rank == array->rank());
      if (!fits) fail("E0505", {}, fmt::format("`{}`: expected {}, got {}", name, describe(type), describe(value)));
      if (tensor->dims()) match_dims(*tensor->dims(), array->shape(), name, type, value, define);
    } else if (const auto* shape = find<ShapeType>(type); shape && value.shape()) {
      if (shape->values && shape->values->size() == value.shape()->size())
        match_dims(*shape->values, *value.shape(), name, type, value, define);
    } else if (const auto* prim = find<PrimType>(type);
               prim && prim->value && std::holds_alternative<int64_t>(value.v)) {
      match_dims({prim->value}, {std::get<int64_t>(value.v)}, name, type, value, define);
    } else if (const auto* tuple = find<TupleType>(type)) {
      if (!value.tuple() || value.tuple()->size() != tuple->fields.size())
        fail("E0505", {}, fmt::format("`{}`: expected {}, got {}", name, describe(type), describe(value)));
      for (size_t i = 0; i < tuple->fields.size(); ++i)
        match(tuple->fields[i], (*value.tuple())[i], fmt::format("{}[{}]", name, i), define);
    }
  }

  void match_dims(const std::vector<Scalar>& dims, const std::vector<int64_t>& sizes, const std::string& name,
                  const Type& type, const Value& value, bool define) {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (define) {
        if (find<SymVar>(dims[i])) symbols_.try_emplace(dims[i].get(), sizes[i]);
      } else if (int64_t expected = value_of(dims[i]); expected != sizes[i]) {
        fail("E0505", {},
             fmt::format("`{}`: dimension {} of {} must be {}, got {}", name, i, describe(type), expected,
                         describe(value)));
      }
    }
  }

  const Module& module_;
  std::unordered_map<const Node*, Value> vars_;
  std::unordered_map<const Node*, Ref<Function>> closures_;
  std::unordered_map<const Node*, int64_t> symbols_;
};

}  // namespace

Value Evaluator::call(const std::string& function, const std::vector<Value>& args) const {
  Ref<Function> f = module_.find_as<Function>(function);
  if (!f) fail("E0505", {}, fmt::format("the module has no graph-level function `{}`", function));
  return Frame(module_).run(*f, args, function);
}

Value evaluate_call(const Module& module, const Call& call, const std::vector<Value>& args) {
  return Frame(module).eval_call(call, args);
}

}  // namespace sunmao
