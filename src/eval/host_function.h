// HostFunction: a function of the program that runs the module: a registered function, or a callback argument.
#pragma once
#include <functional>

#include "eval/value.h"
#include "ir/type.h"

namespace sunmao {

class Memory;  // eval/memory.h

class HostFunction {
 public:
  virtual ~HostFunction() = default;
  /// Calls the function. The last `written` arguments are new arrays that it fills; it must not write to others.
  virtual Value call(ValueTuple args, size_t written) const = 0;
};

/// Returns the host function of that name; null when there is none.
using FindHostFunction = std::function<std::shared_ptr<const HostFunction>(const std::string& name)>;

/// Converts a value as hosts represent it to the type: a tuple of integers to a shape, an integer or a tensor of rank 0
/// to a number, nothing to an empty tuple; fields of a tuple are converted in place. Other values are returned
/// unchanged.
Value as_type(const Type& type, Value value);

/// The builtin that takes a tuple and an index, and sets that field of the tuple to nothing.
inline constexpr const char* kResetItem = "vm.builtin.tuple_reset_item";
/// The name by which programs call a value: its first argument.
inline constexpr const char* kInvokeClosure = "vm.builtin.invoke_closure";

/// Where a builtin is called.
struct BuiltinPlace {
  const Type& result;  // the type of the call; null where no script states it
  const Span& span;
  Memory& memory;  // of the program; builtins allocate there, and fill no other arrays
};

/// Calls a virtual machine builtin `vm.builtin.…` (eval/builtins); nullopt when there is none of that name.
std::optional<Value> call_builtin(const std::string& name, const ValueTuple& args, const BuiltinPlace& place);
bool is_builtin(const std::string& name);

}  // namespace sunmao
