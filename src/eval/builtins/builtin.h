// Builtins of the virtual machine: functions `vm.builtin.…` on values, which programs call by name. Each is a row of a
// family's table; call_builtin (eval/host_function.h) finds it.
#pragma once
#include <span>

#include "eval/host_function.h"
#include "eval/memory.h"

namespace sunmao {

/// A call of a builtin, and its arguments by kind: E0505 when one has another kind or is missing.
struct BuiltinCall {
  const std::string& name;
  const ValueTuple& args;
  const Type& result;  // null where no script states it
  const Span& span;
  Memory& memory;

  const Array& array(size_t i) const;
  const ShapeValue& shape(size_t i) const;
  int64_t integer(size_t i) const;
  double number(size_t i) const;
  const std::string& text(size_t i) const;
  DType dtype(size_t i) const;
  std::shared_ptr<ValueTuple> tuple(size_t i) const;
  /// Returns the words that begin a message, a text such as "main: argument x", if argument `i` is one.
  std::string context(size_t i) const;
  /// Returns the bytes of argument `i`, an array that the function fills; E0506 when it may not be written.
  std::byte* writable(size_t i) const;
  [[noreturn]] void wrong(size_t i, const char* expected) const;
  /// Fails (E0506) with the builtin's name before the message.
  [[noreturn]] void fail_with(const std::string& message) const;
};

struct Builtin {
  std::string_view name;
  Value (*run)(const BuiltinCall& call);
};

std::span<const Builtin> tuple_builtins();
std::span<const Builtin> tensor_builtins();
std::span<const Builtin> shape_builtins();
std::span<const Builtin> check_builtins();
std::span<const Builtin> sampling_builtins();
std::span<const Builtin> attention_cache_builtins();

}  // namespace sunmao
