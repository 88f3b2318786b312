#include <fmt/ranges.h>

#include "upstream_vm/program.h"

namespace sunmao {
namespace {

using Kind = RegisterInstruction::Kind;

std::string register_text(int64_t number) {
  if (number == kNowhere) return "void";
  return number == kMachineState ? "%vm" : fmt::format("%{}", number);
}

std::string operand_text(const RegisterProgram& program, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Register: return register_text(operand.value);
    case Operand::Kind::Immediate: return fmt::format("i{}", operand.value);
    case Operand::Kind::Constant: return fmt::format("c[{}]", operand.value);
    case Operand::Kind::Function: return fmt::format("f[{}]", program.names.at(static_cast<size_t>(operand.value)));
  }
  return {};
}

std::string instruction_text(const RegisterProgram& program, const RegisterInstruction& i) {
  switch (i.kind) {
    case Kind::Return: return fmt::format("ret   {}", register_text(i.target));
    case Kind::Goto: return fmt::format("goto  {}", i.offset);
    case Kind::If: return fmt::format("if    {} else {}", register_text(i.target), i.offset);
    case Kind::Call: break;
  }
  std::vector<std::string> args;
  for (const Operand& arg : i.args) args.push_back(operand_text(program, arg));
  return fmt::format("call  {:<28} in: {:<20} dst: {}", program.names.at(i.callee),
                     fmt::format("{}", fmt::join(args, ", ")), register_text(i.target));
}

std::string register_call(int64_t number) {
  if (number == kNowhere) return "ib.void_arg()";
  return number == kMachineState ? "ib.vm_state()" : fmt::format("ib.r({})", number);
}

std::string operand_call(const RegisterProgram& program, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Register: return register_call(operand.value);
    case Operand::Kind::Immediate: return fmt::format("ib.imm({})", operand.value);
    case Operand::Kind::Constant: return fmt::format("ib.c({})", operand.value);
    case Operand::Kind::Function:
      return fmt::format("ib.f(\"{}\")", program.names.at(static_cast<size_t>(operand.value)));
  }
  return {};
}

std::string instruction_call(const RegisterProgram& program, const RegisterInstruction& i) {
  switch (i.kind) {
    case Kind::Return: return fmt::format("ib.emit_ret({})", register_call(i.target));
    case Kind::Goto: return fmt::format("ib.emit_goto({})", i.offset);
    case Kind::If: return fmt::format("ib.emit_if({}, {})", register_call(i.target), i.offset);
    case Kind::Call: break;
  }
  std::vector<std::string> args;
  for (const Operand& arg : i.args) args.push_back(operand_call(program, arg));
  return fmt::format("ib.emit_call(\"{}\", args=[{}], dst={})", program.names.at(i.callee), fmt::join(args, ", "),
                     register_call(i.target));
}

}  // namespace

const RegisterFunction* RegisterProgram::find(std::string_view name) const {
  for (const RegisterFunction& f : functions)
    if (f.name == name) return &f;
  return nullptr;
}

std::string text_of(const RegisterProgram& program) {
  std::string out;
  for (const RegisterFunction& f : program.functions) {
    out += fmt::format("{}@{}({}):\n", out.empty() ? "" : "\n", f.name, fmt::join(f.params, ", "));
    for (const RegisterInstruction& i : f.body) out += "  " + instruction_text(program, i) + "\n";
  }
  return out;
}

std::string builder_calls(const RegisterProgram& program) {
  std::string out = "ib = relax.ExecBuilder()\n";
  for (const RegisterFunction& f : program.functions) {
    out += fmt::format("with ib.function(\"{}\", num_inputs={}):\n", f.name, f.params.size());
    for (const RegisterInstruction& i : f.body) out += "    " + instruction_call(program, i) + "\n";
  }
  return out;
}

std::string statistics(const RegisterProgram& program) {
  std::vector<std::string> constants;
  for (const Value& v : program.constants) constants.push_back(describe(v));
  return fmt::format("{} functions\n{} constants: [{}]\n{} names: [{}]\n", program.functions.size(), constants.size(),
                     fmt::join(constants, ", "), program.names.size(), fmt::join(program.names, ", "));
}

}  // namespace sunmao
