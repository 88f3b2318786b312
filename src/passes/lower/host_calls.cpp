#include "passes/lower/host_calls.h"

#include <fmt/format.h>

#include "ops/ops.h"

namespace sunmao {
namespace {

Expr number_of(int64_t value) { return PrimValue::make(IntImm::make(DType::int_(64), value)); }

// Returns the name of a check and its arguments between the value and the text.
std::pair<std::string, std::vector<Expr>> check_of(const Type& type) {
  if (const auto* t = find<TensorType>(type)) {
    std::vector<Expr> args{number_of(t->rank)};
    if (!t->dtype.is_void()) args.push_back(DTypeLiteral::make(t->dtype));
    return {"tensor", std::move(args)};
  }
  if (const auto* s = find<ShapeType>(type)) return {"shape", {number_of(s->rank)}};
  if (const auto* t = find<TupleType>(type)) return {"tuple", {number_of(std::ssize(t->fields))}};
  if (const auto* p = find<PrimType>(type); p && !p->dtype.is_void())
    return {"prim_value", {DTypeLiteral::make(p->dtype)}};
  return {find<CallableType>(type) ? "func" : "", {}};
}

}  // namespace

Expr host_call(const std::string& name, std::vector<Expr> args, const Type& type, CallEffect effect) {
  const Expr callee = ExternFunc::make(name);
  if (effect == CallEffect::Some) return Call::make(callee, std::move(args), {}, {type});
  return Call::make(builtin_ops().get("call_pure_packed"), {callee, Tuple::make(std::move(args))}, {}, {type});
}

Expr find_check(const Expr& value, const Type& type, const std::string& what) {
  auto [kind, args] = check_of(type);
  if (kind.empty()) return nullptr;
  args.insert(args.begin(), value);
  args.push_back(StringLiteral::make(what + ":"));
  return host_call(fmt::format("vm.builtin.check_{}_info", kind), std::move(args), TupleType::make({}));
}

}  // namespace sunmao
