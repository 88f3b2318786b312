// HostFunction: a function of the program that runs the module: a registered one, or a callback that was handed in.
#pragma once
#include <functional>

#include "eval/value.h"
#include "ir/type.h"

namespace sunmao {

class HostFunction {
 public:
  virtual ~HostFunction() = default;
  /// The last `written` arguments are new arrays for it to fill; it writes to no other.
  virtual Value call(ValueTuple args, size_t written) const = 0;
};

/// The function that the program around knows under a name; null when it knows none.
using FindHostFunction = std::function<std::shared_ptr<const HostFunction>(const std::string& name)>;

/// What a host writes in its own way, as a value of the type: integers one by one are a shape, an integer may stand for
/// a number with a fraction, a tensor of rank 0 for a number, nothing for an empty tuple. Anything else comes back as
/// it is.
Value as_type(const Type& type, Value value);

/// Takes a tuple and a place, and empties the field there.
inline constexpr const char* kResetItem = "vm.builtin.tuple_reset_item";

/// What the virtual machine knows itself under a name `vm.builtin.…`; nullopt for other names.
/// `result` is what the call is typed as.
std::optional<Value> call_builtin(const std::string& name, const ValueTuple& args, const Type& result,
                                  const Span& span);

}  // namespace sunmao
