#include "upstream_vm/from_graph.h"

#include "upstream_vm/graph_writer.h"

namespace sunmao {
namespace {

class InstructionWriter final : public GraphWriter {
 public:
  using GraphWriter::GraphWriter;

  void write(const Function& f, const std::string& name) {
    std::vector<std::string> params;
    for (const Ref<Var>& p : f.params) params.push_back(p->name);
    builder_.begin_function(name, std::move(params));
    define_params(f);
    builder_.emit_return(in_register(value_of(*f.body)).value);
    builder_.end_function();
  }

 private:
  Operand call(const std::string& name, std::vector<Operand> args, Operand to) override {
    builder_.emit_call(name, std::move(args), to.value);
    return to;
  }

  Operand branch(const If& e) override {
    const Operand condition = call("vm.builtin.read_if_cond", {value_of(e.condition)}, new_register());
    const size_t jump = builder_.emit_if(condition.value, 1);
    const Operand result = new_register();
    copied(value_of(*e.then_branch), result);
    const size_t past = builder_.emit_goto(1);
    builder_.set_offset(jump, static_cast<int64_t>(builder_.place() - jump));
    copied(value_of(*e.else_branch), result);
    builder_.set_offset(past, static_cast<int64_t>(builder_.place() - past));
    return result;
  }

  Operand in_register(Operand value) {
    return value.kind == Operand::Kind::Register && value != kNothing ? value : copied(value, new_register());
  }
};

}  // namespace

void add_functions(RegisterBuilder& builder, const Module& module) {
  for (const FunctionEntry& e : module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f) continue;
    const auto* symbol = f->attr<std::string>("global_symbol");
    InstructionWriter(builder, module).write(*f, symbol ? *symbol : e.var->name);
  }
}

}  // namespace sunmao
