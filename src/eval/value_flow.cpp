#include "eval/value_flow.h"

#include "eval/host_function.h"
#include "eval/kernel_runner.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

const std::unordered_set<std::string_view>& not_computing() {
  static const std::unordered_set<std::string_view> names{
      "builtin.stop_lift_params",
      "hint_on_device",
      "dist.annotate_sharding",
      "make_closure",
      "vm.builtin.tuple_getitem",
      kResetItem,
      "null_value",
      "vm.builtin.null_value",
      "print",
      "assert_op",
      "builtin.alloc_tensor",
      "memory.alloc_storage",
      "memory.alloc_tensor",
      "memory.kill_storage",
      "memory.kill_tensor",
      "vm.alloc_storage",
      "vm.alloc_tensor",
      "vm.kill_object",
  };
  return names;
}

// Returns the name of an op or a virtual machine builtin; empty for other callees.
std::string_view known_name(const Call& call) {
  const Op* op = op_of(call);
  const Expr callee = !op ? call.callee : call.args.empty() ? nullptr : call.args[0];
  const auto* external = callee ? find<ExternFunc>(callee) : nullptr;
  if (external && external->name.starts_with("vm.builtin.")) return external->name;
  return op ? std::string_view(op->name()) : std::string_view();
}

std::string name_of_callee(const Call& call) {
  const Op* op = op_of(call);
  if (const auto* name = call.attrs.find<std::string>("func_name")) return *name;
  const Expr& callee = op && calls_argument(*op) ? call.args.at(0) : call.callee;
  if (const auto* global = find<GlobalVar>(callee)) return global->name;
  if (const auto* external = find<ExternFunc>(callee)) return external->name;
  if (const auto* var = find<Var>(callee)) return var->name;
  return op ? op->name() : "function";
}

}  // namespace

bool calls_argument(const Op& op) {
  if (op.name() == "invoke_closure" || op.name() == "invoke_pure_closure") return true;
  return !op.info.params.empty() && op.info.params[0].kind == ParamKind::Func && op.name() != "make_closure";
}

CallKind kind_of(const Call& call, const Module& module, const Value* callee) {
  const auto* global = find<GlobalVar>(call.callee);
  if ((callee && callee->closure()) || find<Function>(call.callee) ||
      (global && module.find_as<Function>(global->name)))
    return CallKind::RunsFunction;
  return not_computing().contains(known_name(call)) ? CallKind::Moves : CallKind::Computes;
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
