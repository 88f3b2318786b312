#include "passes/weights/bundle_model_params.h"

#include <algorithm>

#include "eval/host_function.h"
#include "ir/copy.h"
#include "ir/type_relation.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/written_shapes.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using Symbols = std::unordered_set<Ref<SymVar>>;

// Returns the symbols that scalar parameters from index `begin` on define and that no earlier parameter defines.
Symbols scalar_symbols(const std::vector<Ref<Var>>& params, size_t begin) {
  Symbols found;
  for (size_t i = begin; i < params.size(); ++i)
    if (find<PrimType>(params[i]->type))
      for (const Ref<SymVar>& s : defined_symbols(params[i]->type)) found.insert(s);
  for (size_t i = 0; i < begin; ++i)
    for (const Ref<SymVar>& s : defined_symbols(params[i]->type)) found.erase(s);
  return found;
}

class Bundler final : public Rewriter {
 public:
  Ref<Function> run(const Function& f, size_t inputs, const std::string& name) {
    const Symbols scalars = scalar_symbols(f.params, inputs);
    Substitution said;  // symbols not defined only by those scalars
    std::unordered_map<Ref<Var>, Expr> vars;
    for (const Ref<Var>& p : f.params) {
      vars.emplace(p, p);
      for (const Ref<SymVar>& s : defined_symbols(p->type))
        if (!scalars.contains(s)) said.emplace(s, s);
    }
    std::vector<Type> types;
    for (size_t i = inputs; i < f.params.size(); ++i) {
      const Ref<Var>& p = f.params[i];
      const bool is_scalar = find<PrimType>(p->type);
      types.push_back(is_scalar ? p->type : erase_to_well_defined(p->type, said, vars));
      fields_.emplace(p, Field{static_cast<int>(i - inputs), types.back()});
    }
    tuple_ = Var::make(name, TupleType::make(std::move(types)));
    std::vector<Ref<Var>> params(f.params.begin(), f.params.begin() + static_cast<std::ptrdiff_t>(inputs));
    params.push_back(tuple_);
    Ref<BindingBlock> prologue = read_scalars(f.params, inputs);
    Ref<SeqExpr> body = visit_seq(f.body);
    if (prologue) {
      std::vector<Ref<BindingBlock>> blocks{prologue};
      blocks.insert(blocks.end(), body->blocks.begin(), body->blocks.end());
      body = SeqExpr::make(merge_blocks(blocks), body->body, body->span);
    }
    return Function::make(std::move(params), body, f.result_type, f.is_pure, f.attrs, f.span);
  }

 private:
  struct Field {
    int index;
    Type type;  // the field's type in the tuple type
  };
  using Rewriter::visit;

  // Scalars are read first, because a dimension must be defined before all its uses, also in branches.
  Ref<BindingBlock> read_scalars(const std::vector<Ref<Var>>& params, size_t inputs) {
    std::vector<Binding> reads;
    for (size_t i = inputs; i < params.size(); ++i) {
      auto field = fields_.find(params[i]);
      if (!find<PrimType>(params[i]->type) || field == fields_.end()) continue;
      Ref<Var> var = Var::make(params[i]->name, params[i]->type, params[i]->span);
      reads.push_back({var, TupleGetItem::make(tuple_, field->second.index), nullptr, var->span});
      fields_.erase(field);
      replace(params[i], var);
    }
    return reads.empty() ? nullptr : BindingBlock::make(std::move(reads));
  }

  Expr visit(const Var& v) override {
    auto field = fields_.find(Ref<Var>(&v));
    if (field == fields_.end()) return Rewriter::visit(v);
    Expr read = emit(TupleGetItem::make(tuple_, field->second.index), v.name);
    if (field->second.type == v.type) return read;
    Ref<Var> var = in_dataflow() ? Var::make_dataflow(v.name, v.type, v.span) : Var::make(v.name, v.type, v.span);
    bind({var, read, v.type, v.span}, read);
    return var;
  }

  std::unordered_map<Ref<Var>, Field> fields_;
  Ref<Var> tuple_;
};

class Unbundler final : public Rewriter {
 public:
  Unbundler(Ref<Var> tuple, std::vector<Expr> fields) : tuple_(std::move(tuple)), fields_(std::move(fields)) {}
  Ref<SeqExpr> run(const Ref<SeqExpr>& body) { return visit_seq(body); }

 private:
  using Rewriter::visit;
  Expr visit(const Var& v) override { return tuple_.get() == &v ? Tuple::make(fields_) : Rewriter::visit(v); }
  Expr visit(const TupleGetItem& item) override {
    if (item.tuple == tuple_) return fields_[static_cast<size_t>(item.index)];
    return Rewriter::visit(item);
  }
  void visit(const Binding& b) override {
    const auto* call = find<Call>(b.value);
    const auto* callee = call && call->args.size() == 2 ? find<ExternFunc>(call->args[0]) : nullptr;
    if (callee && callee->name == kResetItem && mentions(call->args[1])) return;
    Rewriter::visit(b);
  }

  bool mentions(const Expr& e) const {
    const std::vector<Ref<Var>> vars = free_vars(e);
    return std::ranges::find(vars, tuple_) != vars.end();
  }

  const Ref<Var> tuple_;
  const std::vector<Expr> fields_;
};

}  // namespace

Ref<Function> bundle_params(const Ref<Function>& function, size_t inputs, const std::string& tuple_name) {
  const Ref<Function> written = with_written_shapes(function, inputs);
  const bool has_scalars = !scalar_symbols(written->params, inputs).empty();
  // Copies the function with fresh symbols, since its symbols would else be shared with the signature of the original
  // function.
  const Ref<Function> f = has_scalars && written == function ? FreshCopy().copy(function) : written;
  return Bundler().run(*f, inputs, tuple_name);
}

Ref<Function> unbundle_params(const Ref<Function>& function, const std::vector<std::string>& names) {
  const Ref<Function> f = FreshCopy().copy(function);
  const auto* type = find<TupleType>(f->params.at(0)->type);
  SUNMAO_CHECK(type && f->params.size() == 1, "no function of one tuple");
  std::vector<Ref<Var>> params;
  for (size_t i = 0; i < type->fields.size(); ++i)
    params.push_back(Var::make(i < names.size() ? names[i] : fmt::format("param_{}", i), type->fields[i]));
  Ref<SeqExpr> body = Unbundler(f->params[0], {params.begin(), params.end()}).run(f->body);
  return Function::make(std::move(params), body, f->result_type, f->is_pure, f->attrs, f->span);
}

Module bundle_model_params(const Module& m, const PassContext& ctx) {
  const std::string given = PassArguments("bundle-model-params", ctx).string("param_tuple_name");
  const std::string name = given.empty() ? kBundledParamsName : given;
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    const std::optional<size_t> inputs = f ? num_input(*f, e.var->name) : std::nullopt;
    if (inputs) changed.push_back({e.var, bundle_params(f, *inputs, name)});
  }
  return changed.empty() ? m : m.with_functions(std::move(changed));
}

}  // namespace sunmao
