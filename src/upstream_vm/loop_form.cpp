#include "upstream_vm/loop_form.h"

#include "loop/prim_func.h"
#include "upstream_vm/graph_writer.h"

namespace sunmao {
namespace {

constexpr DType kHandle = DType::handle();

// The lists that a function takes.
struct Lists {
  Ref<SymVar> state = SymVar::make("ctx_ptr", kHandle), registers = SymVar::make("r", kHandle),
              constants = SymVar::make("c", kHandle), names = SymVar::make("f", kHandle);
};

class LoopFormWriter final : public GraphWriter {
 public:
  using GraphWriter::GraphWriter;

  Ref<PrimFunc> write(const Function& f, const std::string& symbol) {
    define_params(f);
    const Operand result = new_register();
    const Operand value = value_of(*f.body);
    if (value != kNothing) copied(value, result);
    std::vector<PrimParam> params;
    for (const Ref<SymVar>& v : {lists_.state, lists_.registers, lists_.constants, lists_.names})
      params.push_back({.var = v});
    return PrimFunc::make(std::move(params), finished(std::move(stmts_)),
                          Attrs(AttrMap{{"global_symbol", symbol}, {"s_tir", true}}));
  }

 private:
  static Stmt finished(std::vector<Stmt> stmts) {
    if (stmts.empty()) stmts.push_back(Evaluate::make(IntImm::make(DType::int_(32), 0)));
    return stmts.size() == 1 ? stmts[0] : Seq::make(std::move(stmts));
  }

  static Scalar item(const Ref<SymVar>& list, int64_t i) {
    return ScalarCall::make("anylist_getitem", kHandle, {list, IntImm::make(DType::int_(32), i)});
  }

  Scalar scalar_of(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::Immediate: return IntImm::make(DType::int_(64), operand.value);
      case Operand::Kind::Constant: return item(lists_.constants, operand.value);
      case Operand::Kind::Function: return item(lists_.names, operand.value);
      case Operand::Kind::Register: break;
    }
    if (operand == kState) return lists_.state;
    if (operand == kNothing) return ScalarCall::make("reinterpret", kHandle, {IntImm::make(DType::int_(64), 0)});
    return item(lists_.registers, operand.value);
  }

  Operand call(const std::string& name, std::vector<Operand> args, Operand to) override {
    const bool has_result = to != kNothing;
    const bool is_kernel = static_cast<bool>(module_.find_as<PrimFunc>(name));
    std::vector<Scalar> all;
    if (has_result) all = {lists_.registers, IntImm::make(DType::int_(32), to.value)};
    all.push_back(StringImm::make(name));
    for (const Operand& arg : args) all.push_back(scalar_of(arg));
    const std::string way = is_kernel ? "call_cpacked" : "call_packed";
    stmts_.push_back(
        Evaluate::make(ScalarCall::make(has_result ? "anylist_setitem_" + way : way, kHandle, std::move(all))));
    return to;
  }

  Operand branch(const If& e) override {
    const Operand result = new_register();
    const Scalar condition = ScalarCall::make(
        "call_packed", DType::bool_(), {StringImm::make("vm.builtin.read_if_cond"), scalar_of(value_of(e.condition))});
    const Stmt then_case = case_of(*e.then_branch, result), else_case = case_of(*e.else_branch, result);
    stmts_.push_back(IfThenElse::make(condition, then_case, else_case));
    return result;
  }

  Stmt case_of(const SeqExpr& body, Operand result) {
    std::vector<Stmt> outer = std::move(stmts_);
    stmts_.clear();
    copied(value_of(body), result);
    Stmt out = finished(std::move(stmts_));
    stmts_ = std::move(outer);
    return out;
  }

  const Lists lists_;
  std::vector<Stmt> stmts_;
};

}  // namespace

Module with_loop_forms(RegisterBuilder& builder, const Module& module) {
  std::vector<FunctionEntry> forms;
  Module out = module;
  for (const FunctionEntry& e : module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f) continue;
    const auto* symbol = f->attr<std::string>("global_symbol");
    const std::string name = "__vmtir__" + (symbol ? *symbol : e.var->name);
    forms.push_back({GlobalVar::make(name), LoopFormWriter(builder, module).write(*f, name)});
    out = out.without_function(e.var->name);
  }
  return out.with_functions(std::move(forms));
}

}  // namespace sunmao
