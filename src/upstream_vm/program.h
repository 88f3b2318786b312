// RegisterProgram: functions as instructions on registers, in the form of upstream's virtual machine: calls by name,
// jumps and returns. Programs are made by RegisterBuilder and interpreted by RegisterMachine. They are what ExecBuilder
// makes, and modules that bytecode cannot express; everything else runs as bytecode.
#pragma once
#include <map>

#include "eval/value.h"

namespace sunmao {

struct Operand {
  enum class Kind : uint8_t { Register, Immediate, Constant, Function };
  Kind kind = Kind::Register;
  int64_t value = 0;  // the number of a register, a constant or a name, or the integer itself
  friend bool operator==(const Operand&, const Operand&) = default;
};

/// Registers that hold nothing: results that no one reads go to the first; the second is the state of the machine,
/// which builtins with a context take as their first argument.
inline constexpr int64_t kNowhere = -1, kMachineState = -2;

struct RegisterInstruction {
  enum class Kind : uint8_t { Call, Return, Goto, If };
  Kind kind;
  int64_t target = kNowhere;  // Call: where the result goes; Return: the result; If: the condition
  size_t callee = 0;          // Call: the number of its name
  std::vector<Operand> args = {};
  int64_t offset = 0;  // Goto; If: when the condition is false. In instructions, from this one.
};

struct RegisterFunction {
  std::string name;
  std::vector<std::string> params;  // as many as there are inputs, in the registers from 0 on
  std::vector<RegisterInstruction> body = {};
  size_t registers = 0;
};

struct RegisterProgram {
  std::vector<std::string> names;  // what is called, in the program or outside of it
  std::vector<Value> constants;
  std::vector<RegisterFunction> functions;

  const RegisterFunction* find(std::string_view name) const;
};

/// Returns the instructions as text, one a line.
std::string text_of(const RegisterProgram& program);
/// Returns calls of upstream's ExecBuilder that make the program.
std::string builder_calls(const RegisterProgram& program);
/// Returns the constants and names in a few lines.
std::string statistics(const RegisterProgram& program);

}  // namespace sunmao
