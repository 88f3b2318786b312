#include "eval/value_flow.h"

#include <algorithm>
#include <array>

#include "eval/host_function.h"
#include "eval/kernel_runner.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// The functions `vm.builtin.…` that compute nothing; all others of that prefix compute.
constexpr std::array<std::string_view, 3> kMovingFunctions{"vm.builtin.tuple_getitem", "vm.builtin.null_value",
                                                           kResetItem};

bool computes(const Call& call) {
  const Op* op = op_of(call);
  const Expr callee = !op ? call.callee : call.args.empty() ? nullptr : call.args[0];
  const auto* external = callee ? find<ExternFunc>(callee) : nullptr;
  if (external && external->name.starts_with("vm.builtin."))
    return std::ranges::find(kMovingFunctions, external->name) == kMovingFunctions.end();
  return !op || op->info.computes;
}

std::string name_of_callee(const Call& call) {
  const Op* op = op_of(call);
  if (const auto* name = call.attrs.find<std::string>("func_name")) return *name;
  const Expr& callee = op && op->info.calls_argument ? call.args.at(0) : call.callee;
  if (const auto* global = find<GlobalVar>(callee)) return global->name;
  if (const auto* external = find<ExternFunc>(callee)) return external->name;
  if (const auto* var = find<Var>(callee)) return var->name;
  return op ? op->name() : "function";
}

}  // namespace

CallKind kind_of(const Call& call, const Module& module, const Value* callee) {
  const auto* global = find<GlobalVar>(call.callee);
  if ((callee && callee->closure()) || find<Function>(call.callee) ||
      (global && module.find_as<Function>(global->name)))
    return CallKind::RunsFunction;
  return computes(call) ? CallKind::Computes : CallKind::Moves;
}

void ValueFlow::begin(ValueTuple& args) const {
  for (Value& arg : args) arg.seen = Seen::Clean;
  for (size_t i : watch_.poisoned) {
    if (i >= args.size())
      fail("E0505", {}, fmt::format("argument {} cannot be poisoned: the run has {} arguments", i, args.size()));
    args[i].seen = Seen::Poison;
  }
}

Seen ValueFlow::of(const Value& value) const {
  Seen out = value.seen;
  if (const Array* array = value.array()) out = std::max(out, memory_.seen(*array));
  if (const ValueTuple* tuple = value.tuple()) out = std::max(out, of(*tuple));
  if (std::shared_ptr<const Closure> closure = value.closure()) {
    out = std::max(out, of(closure->bound));
    if (closure->captured) out = std::max({out, of(closure->captured->values()), closure->captured->seen_by_symbols()});
  }
  return out;
}

Seen ValueFlow::of(const ValueTuple& values) const {
  Seen out = Seen::Nothing;
  for (const Value& v : values) out = std::max(out, of(v));
  return out;
}

void ValueFlow::note_writes(const PrimFunc& func, const ValueTuple& args) {
  const Seen seen = of(args);
  const std::vector<bool> written = written_params(func);
  size_t param = 0;  // index of the parameter; a shape is passed as several scalars
  for (const Value& arg : args) {
    if (const Array* array = arg.array(); array && written.at(param)) memory_.note(*array, seen);
    param += arg.shape() ? arg.shape()->size() : 1;
  }
}

void ValueFlow::note_work(const Call& call, Seen seen, std::string_view function, const Var* binding) {
  if (seen == Seen::Poison) return;
  if (!(seen == Seen::Clean ? clean_ : constant_).insert(&call).second) return;
  (seen == Seen::Clean ? watch_.clean : watch_.constant)
      .push_back({std::string(function), binding ? binding->name : "", name_of_callee(call), call.span});
}

}  // namespace sunmao
