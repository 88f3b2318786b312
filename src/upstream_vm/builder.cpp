#include "upstream_vm/builder.h"

#include <algorithm>
#include <unordered_map>

#include "support/diagnostic.h"

namespace sunmao {
namespace {

using Kind = RegisterInstruction::Kind;

[[noreturn]] void refuse(const std::string& message, const std::string& help = "") { fail("E0549", {}, message, help); }

// Numbers registers in the order in which they are defined, and checks that what is read is defined.
class Finishing {
 public:
  Finishing(const RegisterProgram& program, RegisterFunction& function) : program_(program), function_(function) {
    for (size_t i = 0; i < function.params.size(); ++i) number(static_cast<int64_t>(i));
  }

  void run() {
    if (function_.body.empty() ||
        (function_.body.back().kind != Kind::Return && function_.body.back().kind != Kind::Goto))
      refuse(fmt::format("`{}` does not end with a return", function_.name), "say emit_ret");
    for (const RegisterInstruction& i : function_.body)
      if (i.kind == Kind::Call) number(i.target);
    for (size_t at = 0; at < function_.body.size(); ++at) rewrite(function_.body[at], static_cast<int64_t>(at));
    function_.registers = numbers_.size();
  }

 private:
  void number(int64_t target) {
    if (target >= 0) numbers_.try_emplace(target, static_cast<int64_t>(numbers_.size()));
  }

  void rewrite(RegisterInstruction& i, int64_t at) {
    if (i.kind != Kind::Goto && (i.kind != Kind::Call || i.target >= 0)) i.target = known(i.target);
    for (Operand& arg : i.args) check(arg);
    if (i.kind != Kind::Goto && i.kind != Kind::If) return;
    const int64_t to = at + i.offset;
    if (i.offset == 0 || to < 0 || to >= std::ssize(function_.body))
      refuse(fmt::format("`{}`: instruction {} jumps by {}, out of {} instructions", function_.name, at, i.offset,
                         function_.body.size()));
  }

  void check(Operand& arg) {
    const auto exists = [&](size_t size) { return arg.value >= 0 && static_cast<size_t>(arg.value) < size; };
    if (arg.kind == Operand::Kind::Register) arg.value = known(arg.value);
    if (arg.kind == Operand::Kind::Constant && !exists(program_.constants.size()))
      refuse(fmt::format("`{}`: there is no constant {}", function_.name, arg.value));
    if (arg.kind == Operand::Kind::Function && !exists(program_.names.size()))
      refuse(fmt::format("`{}`: there is no function {}", function_.name, arg.value));
  }

  int64_t known(int64_t target) const {
    if (target == kNowhere || target == kMachineState) return target;
    const auto found = numbers_.find(target);
    if (found == numbers_.end())
      refuse(fmt::format("`{}`: register {} is read, and no instruction defines it", function_.name, target));
    return found->second;
  }

  const RegisterProgram& program_;
  RegisterFunction& function_;
  std::unordered_map<int64_t, int64_t> numbers_;
};

// Checks that each register is defined before the first instruction that reads it, in the order of the text.
void check_order(const RegisterFunction& f) {
  std::vector<bool> defined(f.registers);
  std::fill_n(defined.begin(), f.params.size(), true);
  const auto read = [&](int64_t r) {
    if (r >= 0 && !defined[static_cast<size_t>(r)])
      refuse(fmt::format("`{}`: register {} is read before it is defined", f.name, r));
  };
  for (const RegisterInstruction& i : f.body) {
    for (const Operand& arg : i.args)
      if (arg.kind == Operand::Kind::Register) read(arg.value);
    if (i.kind == Kind::Call && i.target >= 0) defined[static_cast<size_t>(i.target)] = true;
    if (i.kind == Kind::Return || i.kind == Kind::If) read(i.target);
  }
}

bool is_same(const Value& a, const Value& b) {
  if (const Array* array = a.array()) return b.array() && *array == *b.array();
  if (const ShapeValue* shape = a.shape()) return b.shape() && *shape == *b.shape();
  if (const auto* text = std::get_if<std::string>(&a.v)) {
    const auto* other = std::get_if<std::string>(&b.v);
    return other && *text == *other;
  }
  const auto* real = std::get_if<double>(&a.v);
  const auto* other = std::get_if<double>(&b.v);
  return real && other && *real == *other;
}

}  // namespace

size_t RegisterBuilder::declare(const std::string& name) {
  const auto found = std::ranges::find(program_.names, name);
  if (found != program_.names.end()) return static_cast<size_t>(found - program_.names.begin());
  program_.names.push_back(name);
  return program_.names.size() - 1;
}

Operand RegisterBuilder::function(const std::string& name) const {
  const auto found = std::ranges::find(program_.names, name);
  if (found == program_.names.end())
    refuse(fmt::format("there is no function `{}`", name), "declare it, or make it, before it is named");
  return {Operand::Kind::Function, found - program_.names.begin()};
}

const std::string& RegisterBuilder::name(const Operand& function) const {
  return program_.names.at(static_cast<size_t>(function.value));
}

Operand RegisterBuilder::constant(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value.v)) return {Operand::Kind::Immediate, *number};
  auto found = std::ranges::find_if(program_.constants, [&](const Value& known) { return is_same(known, value); });
  if (found == program_.constants.end()) {
    program_.constants.push_back(value.array() ? Value(as_read_only(*value.array())) : value);
    found = program_.constants.end() - 1;
  }
  return {Operand::Kind::Constant, found - program_.constants.begin()};
}

void RegisterBuilder::begin_function(const std::string& name, std::vector<std::string> params) {
  if (is_open_) refuse(fmt::format("`{}` begins inside another function", name), "end that one first");
  if (program_.find(name)) refuse(fmt::format("there is a function `{}` already", name));
  declare(name);
  program_.functions.push_back({.name = name, .params = std::move(params)});
  is_open_ = true;
}

void RegisterBuilder::end_function() { is_open_ = false; }

void RegisterBuilder::emit(RegisterInstruction instruction) {
  if (!is_open_) refuse("an instruction stands outside of a function", "say `with builder.function(name):` around it");
  program_.functions.back().body.push_back(std::move(instruction));
}

void RegisterBuilder::emit_call(const std::string& callee, std::vector<Operand> args, int64_t target) {
  emit({.kind = Kind::Call, .target = target, .callee = declare(callee), .args = std::move(args)});
}

void RegisterBuilder::emit_return(int64_t result) { emit({.kind = Kind::Return, .target = result}); }

size_t RegisterBuilder::emit_goto(int64_t offset) {
  emit({.kind = Kind::Goto, .offset = offset});
  return place() - 1;
}

size_t RegisterBuilder::emit_if(int64_t condition, int64_t offset) {
  emit({.kind = Kind::If, .target = condition, .offset = offset});
  return place() - 1;
}

void RegisterBuilder::set_offset(size_t place, int64_t offset) {
  program_.functions.back().body.at(place).offset = offset;
}

size_t RegisterBuilder::place() const { return program_.functions.empty() ? 0 : program_.functions.back().body.size(); }

RegisterProgram RegisterBuilder::finish() const {
  if (is_open_) refuse(fmt::format("`{}` is not finished", program_.functions.back().name));
  RegisterProgram out = program_;
  for (RegisterFunction& f : out.functions) {
    Finishing(program_, f).run();
    check_order(f);
  }
  return out;
}

}  // namespace sunmao
