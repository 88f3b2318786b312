// The pass `update-vdevice`: replaces one virtual device in the module's list and wherever it is used.
#include "ir/walk.h"
#include "passes/devices/device_types.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class Updater final : public Rewriter {
 public:
  Updater(Ref<VDevice> from, Ref<VDevice> to) : from_(std::move(from)), to_(std::move(to)) {}

  Ref<Function> run(const Ref<Function>& f) { return rewrite(f); }

 private:
  using Rewriter::visit;

  Type updated(const Type& type) const {
    return map_devices(type, [&](const Ref<VDevice>& d) { return d && same_device(*d, *from_) ? to_ : d; });
  }

  Expr visit(const Function& f) override {
    std::vector<Ref<Var>> params;
    for (const Ref<Var>& p : f.params) {
      params.push_back(p->with_type(updated(p->type)));
      if (params.back() != p) replace(p, params.back());
    }
    Ref<SeqExpr> body = visit_seq(f.body);
    if (params == f.params && body == f.body && updated(f.result_type) == f.result_type) return Expr(&f);
    return Function::make(std::move(params), body, result_of(f, *body), f.is_pure, f.attrs, f.span);
  }

  // Returns the declared result type of a function; null when it states no devices, so that the result takes the
  // devices of the body.
  Type result_of(const Function& f, const SeqExpr& body) const {
    const Type stated = updated(f.result_type);
    if (!stated || !body.type) return stated;
    Type bare = map_devices(body.type, [](const Ref<VDevice>&) { return Ref<VDevice>(); });
    Analyzer analyzer;
    return fits(stated, bare, analyzer) == Fit::Yes ? Type() : stated;
  }

  void visit(const Binding& b) override {
    Ref<Var> var = b.var->with_type(updated(b.var->type));
    if (var != b.var) replace(b.var, var);
    Expr value = visit(b.value);
    bind({var, b.value, b.is_match_cast() ? updated(b.cast_type) : Type(), b.span}, value);
  }

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call& c = *find<Call>(visited);
    std::vector<Type> told;
    for (const Type& t : c.type_args) told.push_back(updated(t));
    Attrs attrs = c.attrs;
    const auto* info = c.attrs.find<Ref<GlobalInfo>>("dst_vdevice");
    const Ref<VDevice> target = info ? find_ref<VDevice>(*info) : nullptr;
    if (target && same_device(*target, *from_)) attrs = attrs.with("dst_vdevice", AttrValue(Ref<GlobalInfo>(to_)));
    const Type type = updated(c.type);
    if (told == c.type_args && attrs.same_as(c.attrs) && type == c.type) return visited;
    return Call::make_typed(c.callee, c.args, attrs, std::move(told), type, c.span);
  }

  const Ref<VDevice> from_, to_;
};

}  // namespace

Module update_vdevice(const Module& m, const PassContext& ctx) {
  const PassArguments arguments("update-vdevice", ctx);
  const Ref<GlobalInfo>* info = arguments.get("new_vdevice").find<Ref<GlobalInfo>>();
  const Ref<VDevice> to = info ? find_ref<VDevice>(*info) : nullptr;
  if (!to) fail("E0514", {}, "update-vdevice: `new_vdevice` is a virtual device", "I.vdevice(\"cuda\", 0, \"global\")");
  GlobalInfos infos = m.global_infos();
  const std::vector<Ref<VDevice>> listed = listed_devices(m);
  const int64_t index = arguments.int_("index");
  if (index < 0 || index >= static_cast<int64_t>(listed.size()))
    fail("E0531", {},
         fmt::format("update-vdevice: there is no virtual device {}: the module lists {}", index, listed.size()),
         "the index counts the entries of \"vdevice\" in I.module_global_infos from 0");
  const Ref<VDevice> from = listed[static_cast<size_t>(index)];
  if (same_device(*from, *to)) return m;
  for (Ref<GlobalInfo>& entry : infos["vdevice"])
    if (entry == from) entry = to;
  return map_functions(m, [&](const Ref<Function>& f) { return Updater(from, to).run(f); })
      .with_global_infos(std::move(infos));
}

}  // namespace sunmao
