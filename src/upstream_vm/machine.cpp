#include "upstream_vm/machine.h"

#include "eval/evaluator.h"
#include "eval/kernel_call.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using Kind = RegisterInstruction::Kind;

// A function of a program as a value, with arguments for its last parameters.
class ProgramFunction final : public HostFunction {
 public:
  ProgramFunction(std::shared_ptr<const RegisterProgram> p, std::string n, ValueTuple b)
      : program(std::move(p)), name(std::move(n)), bound(std::move(b)) {}

  Value call(ValueTuple, size_t) const override {
    fail("E0507", {}, fmt::format("`{}` is a function of another virtual machine", name),
         "call it by `invoke_closure` of the machine that gave it");
  }

  const std::shared_ptr<const RegisterProgram> program;
  const std::string name;
  const ValueTuple bound;
};

class BuiltinFunction final : public HostFunction {
 public:
  explicit BuiltinFunction(std::string name) : name_(std::move(name)) {}
  Value call(ValueTuple args, size_t) const override {
    Memory memory;
    return call_builtin(name_, args, {Type(), Span(), memory}).value();
  }

 private:
  const std::string name_;
};

class Run {
 public:
  Run(const std::shared_ptr<const RegisterProgram>& program, const Module& module,
      const RegisterMachineOptions& options)
      : program_(program), module_(module), options_(options),
        kernels_(options.kernels ? *options.kernels : interpreting_) {}

  Value call(const std::string& name, ValueTuple args) {
    const RegisterFunction* f = program_->find(name);
    if (!f) fail("E0505", {}, fmt::format("the program has no function `{}`", name));
    return run(*f, std::move(args));
  }

  Value invoke(const Value& callee, ValueTuple args) {
    const std::shared_ptr<const HostFunction> f = callee.host_function();
    if (!f) fail("E0507", {}, fmt::format("the machine cannot call {}", describe(callee)));
    const auto* own = dynamic_cast<const ProgramFunction*>(f.get());
    if (!own || own->program != program_) return f->call(std::move(args), 0);
    args.insert(args.end(), own->bound.begin(), own->bound.end());
    return call(own->name, std::move(args));
  }

 private:
  Value run(const RegisterFunction& f, ValueTuple args) {
    if (args.size() != f.params.size())
      fail("E0505", {}, fmt::format("`{}` takes {} arguments, got {}", f.name, f.params.size(), args.size()));
    if (depth_ > kMaxCalls) fail("E0506", {}, fmt::format("calls of `{}` are nested without end", f.name));
    ++depth_;
    Value result = follow(f, std::move(args));
    --depth_;
    return result;
  }

  // Follows the instructions to a return. Jumps stay in the function, as the builder has checked.
  Value follow(const RegisterFunction& f, ValueTuple registers) {
    registers.resize(f.registers);
    for (size_t at = 0;; ++at) {
      SUNMAO_CHECK(at < f.body.size(), "`{}` goes past its end", f.name);
      const RegisterInstruction& i = f.body[at];
      if (i.kind == Kind::Return) return read(registers, i.target);
      if (i.kind == Kind::Goto || (i.kind == Kind::If && !is_true(read(registers, i.target)))) {
        at += static_cast<size_t>(i.offset - 1);
        continue;
      }
      if (i.kind == Kind::If) continue;
      Value result = instrumented(i, arguments(i, registers));
      if (i.target >= 0) registers[static_cast<size_t>(i.target)] = std::move(result);
    }
  }

  static Value read(const ValueTuple& registers, int64_t number) {
    return number >= 0 ? registers[static_cast<size_t>(number)] : Value();
  }

  ValueTuple arguments(const RegisterInstruction& i, const ValueTuple& registers) {
    ValueTuple out;
    for (const Operand& arg : i.args) {
      if (arg == Operand{Operand::Kind::Register, kMachineState}) continue;
      out.push_back(value_of(arg, registers));
    }
    return out;
  }

  Value value_of(const Operand& operand, const ValueTuple& registers) {
    switch (operand.kind) {
      case Operand::Kind::Register: return read(registers, operand.value);
      case Operand::Kind::Immediate: return operand.value;
      case Operand::Kind::Constant: return program_->constants.at(static_cast<size_t>(operand.value));
      case Operand::Kind::Function: return function(program_->names.at(static_cast<size_t>(operand.value)));
    }
    return {};
  }

  Value function(const std::string& name) {
    std::shared_ptr<const HostFunction> f;
    if (program_->find(name))
      f = std::make_shared<ProgramFunction>(program_, name, ValueTuple());
    else if (is_builtin(name))
      f = std::make_shared<BuiltinFunction>(name);
    else if (options_.host_functions)
      f = options_.host_functions(name);
    return f ? Value(std::move(f)) : Value();
  }

  Value instrumented(const RegisterInstruction& i, ValueTuple args) {
    const std::string& name = program_->names.at(i.callee);
    if (!options_.instrument) return run_call(i, name, std::move(args));
    if (options_.instrument(name, true, Value(), args)) return Value();
    Value result = run_call(i, name, args);
    options_.instrument(name, false, result, args);
    return result;
  }

  Value run_call(const RegisterInstruction& i, const std::string& name, ValueTuple args) {
    if (const RegisterFunction* f = program_->find(name)) return run(*f, std::move(args));
    if (name == "vm.builtin.make_closure") return closure(std::move(args));
    if (name == kInvokeClosure) return invoke_first(std::move(args));
    if (name == "vm.builtin.call_tir_dyn") return call_dynamic(i, std::move(args));
    if (std::optional<Value> done = call_builtin(name, args, {Type(), Span(), memory_})) return *done;
    if (const Ref<PrimFunc> kernel = module_.find_as<PrimFunc>(name))
      return run_on_memory(*kernel, args, memory_, kernels_);
    const std::shared_ptr<const HostFunction> f = options_.host_functions ? options_.host_functions(name) : nullptr;
    if (!f)
      fail("E0509", {}, fmt::format("the function `{}` is not known to this program", name),
           fmt::format("register it first: register_global_func(\"{}\", f)", name));
    return f->call(std::move(args), 0);
  }

  Value closure(ValueTuple args) {
    const std::shared_ptr<const HostFunction> f = args.empty() ? nullptr : args[0].host_function();
    const auto* own = dynamic_cast<const ProgramFunction*>(f.get());
    if (!own) fail("E0507", {}, "`vm.builtin.make_closure`: argument 0 must be a function of the program");
    ValueTuple bound(std::make_move_iterator(args.begin() + 1), std::make_move_iterator(args.end()));
    bound.insert(bound.end(), own->bound.begin(), own->bound.end());
    return Value(std::shared_ptr<const HostFunction>(
        std::make_shared<ProgramFunction>(own->program, own->name, std::move(bound))));
  }

  Value invoke_first(ValueTuple args) {
    if (args.empty()) fail("E0505", {}, "`vm.builtin.invoke_closure` takes a function");
    const Value callee = std::move(args[0]);
    args.erase(args.begin());
    return invoke(callee, std::move(args));
  }

  // Arguments: a loop-level function, its arguments, and numbers for its last parameters as a shape.
  Value call_dynamic(const RegisterInstruction& i, ValueTuple args) {
    const bool names_it = !i.args.empty() && i.args[0].kind == Operand::Kind::Function;
    const std::string name = names_it ? program_->names.at(static_cast<size_t>(i.args[0].value)) : "";
    const Ref<PrimFunc> kernel = module_.find_as<PrimFunc>(name);
    if (!kernel || args.size() < 2 || !args.back().shape())
      fail("E0507", {}, "`vm.builtin.call_tir_dyn` takes a loop-level function, its arguments, and a shape");
    const ShapeValue numbers = *args.back().shape();
    args.pop_back();
    args.erase(args.begin());
    args.insert(args.end(), numbers.begin(), numbers.end());
    return run_on_memory(*kernel, args, memory_, kernels_);
  }

  const std::shared_ptr<const RegisterProgram>& program_;
  const Module& module_;
  const RegisterMachineOptions& options_;
  InterpretingRunner interpreting_;
  KernelRunner& kernels_;
  Memory memory_;
  int depth_ = 0;
};

}  // namespace

Value RegisterMachine::call(const std::string& function, ValueTuple args, const RegisterMachineOptions& options) const {
  return Run(program_, module_, options).call(function, std::move(args));
}

Value RegisterMachine::invoke(const Value& function, ValueTuple args, const RegisterMachineOptions& options) const {
  return Run(program_, module_, options).invoke(function, std::move(args));
}

}  // namespace sunmao
