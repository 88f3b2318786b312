#include "ops/custom_ops.h"

#include <map>
#include <mutex>

#include "ops/ops.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

std::string_view own_name(std::string_view name) {
  return name.starts_with("relax.") ? name.substr(std::string_view("relax.").size()) : name;
}

// The only mutable state of the op library. Guarded by a mutex, since inference runs on any thread.
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const CustomOp>, std::less<>> ops;
  std::shared_ptr<const OpTable> table;  // only ever grows; null before the first custom op
};

Registry& registry() {
  static Registry made;
  return made;
}

Type infer_custom(const InferInput& in) {
  std::shared_ptr<const CustomOp> op = find_custom_op(in.op.name());
  if (!op) in.error("E0204", "the op is no longer registered", "register its inference again");
  return op->infer(in);
}

OpInfo record_of(const CustomOp& op) {
  return {.name = op.name,
          .summary = "An op of the program's own.",
          .params = {{"args", "what the op takes", ParamKind::Variadic}},
          .infer = infer_custom,
          .is_pure = op.is_pure.value_or(false),
          .allocates = op.allocates.value_or(false)};
}

}  // namespace

void set_custom_op(CustomOp op) {
  SUNMAO_CHECK(op.infer, "op {} lacks inference", op.name);
  op.name = std::string(own_name(op.name));
  if (builtin_ops().find(op.name))
    fail("E0034", {}, fmt::format("`{}` is an op of the library, which does not change", op.name),
         "choose another name");
  Registry& all = registry();
  auto made = std::make_shared<const CustomOp>(op);  // after the swap: the replaced op, freed unlocked
  std::scoped_lock lock(all.mutex);
  Ref<Op> record = all.table ? all.table->find(op.name) : nullptr;
  if (record && record->info.is_pure != op.is_pure.value_or(record->info.is_pure))
    fail("E0034", {}, fmt::format("`{}` is in use as a{} op", op.name, record->info.is_pure ? " pure" : "n impure"),
         "register `FPurity` before the op is looked up, or choose another name");
  if (record && record->info.allocates != op.allocates.value_or(record->info.allocates))
    fail("E0034", {},
         fmt::format("`{}` is in use as an op that {} memory", op.name,
                     record->info.allocates ? "allocates" : "does not allocate"),
         "register `TAllocator` before the op is looked up, or choose another name");
  std::swap(all.ops[op.name], made);
}

void remove_custom_op(const std::string& name) {
  Registry& all = registry();
  std::shared_ptr<const CustomOp> last;  // freed after the lock is released
  std::scoped_lock lock(all.mutex);
  auto it = all.ops.find(own_name(name));
  if (it == all.ops.end()) return;
  last = std::move(it->second);
  all.ops.erase(it);
}

std::shared_ptr<const CustomOp> find_custom_op(std::string_view name) {
  Registry& all = registry();
  std::scoped_lock lock(all.mutex);
  auto it = all.ops.find(own_name(name));
  return it == all.ops.end() ? nullptr : it->second;
}

std::shared_ptr<const OpTable> known_ops() {
  Registry& all = registry();
  std::scoped_lock lock(all.mutex);
  std::shared_ptr<OpTable> grown;
  for (const auto& [name, op] : all.ops) {
    if (all.table && all.table->find(name)) continue;
    if (!grown) grown = std::make_shared<OpTable>(all.table ? *all.table : builtin_ops());
    grown->add(record_of(*op));
  }
  if (grown) all.table = std::move(grown);
  return all.table ? all.table : std::shared_ptr<const OpTable>(std::shared_ptr<const OpTable>(), &builtin_ops());
}

Expr normal_custom_call(const Ref<Call>& call) {
  const Op* op = op_of(*call);
  if (!op || op->info.infer != infer_custom) return call;
  std::shared_ptr<const CustomOp> custom = find_custom_op(op->name());
  return custom && custom->normalize ? custom->normalize(*call) : Expr(call);
}

}  // namespace sunmao
