// The form of a call of a host's function (include/sunmao/runtime.h), such as `scale(float32[2], "up") -> float32[2]`.
#pragma once
#include <optional>
#include <string>

#include "ir/expr.h"

namespace sunmao {

struct HostCall {
  std::string name;
  std::vector<Expr> args;
  bool makes_results = false;         // it is told the shapes of its results, last
  std::vector<int64_t> changed = {};  // the arguments whose tensors it may change

  bool may_change(size_t arg) const;
};

/// Returns the call of a host's function by its name; nullopt for other calls.
std::optional<HostCall> find_host_call(const Call& call);

/// Returns the form of a call with results of this type; nullopt when a machine cannot say an argument or result.
std::optional<std::string> host_form(const HostCall& call, const Type& result);

/// True for an argument that the form says: the host's function gets it as it stands there.
bool is_literal(const Expr& argument);

/// Returns the tensors, shapes and numbers of a type, in order.
std::vector<Type> leaves_of(const Type& type);

}  // namespace sunmao
