// RegisterBuilder: makes a RegisterProgram instruction by instruction.
#pragma once
#include "upstream_vm/program.h"

namespace sunmao {

/// Fails with E0549 on what no program has.
class RegisterBuilder {
 public:
  /// Notes a name that is called; its number is stable.
  size_t declare(const std::string& name);
  /// Returns a name as an operand; it must be declared, or be that of a function begun here.
  Operand function(const std::string& name) const;
  /// Returns the name of an operand that is a function.
  const std::string& name(const Operand& function) const;
  Operand constant(const Value& value);

  /// Instructions belong to the function that was begun last, until its end.
  void begin_function(const std::string& name, std::vector<std::string> params);
  void end_function();
  void emit_call(const std::string& callee, std::vector<Operand> args, int64_t target);
  void emit_return(int64_t result);
  /// Return the place of the jump, whose offset may be set later.
  size_t emit_goto(int64_t offset);
  size_t emit_if(int64_t condition, int64_t offset);
  void set_offset(size_t place, int64_t offset);
  /// Returns the number of instructions of the function so far.
  size_t place() const;

  /// Returns the program with registers numbered in the order of their definition, after checking it.
  RegisterProgram finish() const;

 private:
  void emit(RegisterInstruction instruction);

  RegisterProgram program_;
  bool is_open_ = false;
};

}  // namespace sunmao
