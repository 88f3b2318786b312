#include "passes/devices/device_placement.h"

#include "support/diagnostic.h"

namespace sunmao {

Ref<VDevice> hinted_device(const Call& hint, const Module& module) {
  const auto* info = hint.attrs.find<Ref<GlobalInfo>>("dst_vdevice");
  const Ref<VDevice> wanted = info ? find_ref<VDevice>(*info) : nullptr;
  SUNMAO_CHECK(wanted, "a hint without a device");
  const auto* given = hint.attrs.find<std::string>("memory_scope");
  const std::string scope = given ? *given : wanted->memory_scope;
  const std::vector<Ref<VDevice>> listed = listed_devices(module);
  for (const Ref<VDevice>& d : listed)
    if (d->target_kind() == wanted->target_kind() && d->id == wanted->id && d->memory_scope == scope) return d;
  std::string known;
  for (const Ref<VDevice>& d : listed) known += (known.empty() ? "" : ", ") + describe(*d);
  fail("E0531", hint.span,
       fmt::format("R.hint_on_device asks for {}:{} with memory `{}`, and the module {}", wanted->target_kind(),
                   wanted->id, scope, listed.empty() ? "lists no virtual device" : "has " + known),
       "list it: I.module_global_infos({\"vdevice\": [I.vdevice(\"cuda\", 0, \"global\"), …]})");
}

// Walks a module, creates the places of every variable in the device graph, and joins places that must be on one
// device.
class PlacementWalk {
 public:
  PlacementWalk(DevicePlacement& out, const Module& module, const std::map<std::string, std::string>& origins)
      : out_(out), module_(module), origins_(origins), groups_(module) {
    for (const FunctionEntry& e : module.functions())
      if (const auto* f = find<Function>(Expr(e.func))) declare(*f, known_as(e.var->name));
    for (const FunctionEntry& e : module.functions()) {
      inside_ = groups_.find(e.var->name);
      if (const auto* f = find<Function>(Expr(e.func))) walk(*f);
    }
  }

  /// A call of a function that may be copied. Its number is its index in the list of calls.
  struct NumberedCall {
    size_t group;
    Ref<Var> result;
  };
  const std::vector<NumberedCall>& calls() const { return calls_; }

 private:
  DeviceGraph& graph() { return out_.graph_; }

  const std::string& known_as(const std::string& function) const {
    auto origin = origins_.find(function);
    return origin == origins_.end() ? function : origin->second;
  }

  std::string callee_name(const Call& call) const {
    if (const Op* op = op_of(call)) {
      const auto* kernel = call.args.empty() ? nullptr : find<GlobalVar>(call.args[0]);
      return kernel ? fmt::format("{}({})", op->name(), kernel->name) : op->name();
    }
    if (const auto* global = find<GlobalVar>(call.callee)) return known_as(global->name);
    if (const auto* external = find<ExternFunc>(call.callee)) return external->name;
    const auto* var = find<Var>(call.callee);
    return var ? var->name : "a call";
  }

  PlaceTree new_places(const Type& type, const std::string& name) {
    return make_places(type, [&] { return graph().add(name); });
  }

  // Demands the devices in the declared type `stated` that the inferred type lacks; inferred devices follow from the
  // operands of the value.
  void fix_demanded(const PlaceTree& tree, const Type& stated, const Type& inferred, const PlaceFact& fact) {
    std::unordered_map<int, Ref<VDevice>> known;
    for_each_place(tree, inferred, [&](int place, const Ref<VDevice>& device) { known[place] = device; });
    for_each_place(tree, stated, [&](int place, const Ref<VDevice>& device) {
      if (device && !(known[place] && same_device(*device, *known[place])))
        graph().fix(place, device, {fmt::format("{} {}", fact.text, describe(*device)), fact.span});
    });
  }

  void declare_var(const Ref<Var>& v, const Type& inferred = {}) {
    const PlaceTree tree = new_places(v->type, v->name);
    fix_demanded(tree, v->type, inferred, {fmt::format("the type of `{}` says", v->name), v->span});
    out_.vars_.emplace(v, tree);
  }

  // Creates the places of the parameters and results of a function, before any call is visited.
  void declare(const Function& f, const std::string& name) {
    for (const Ref<Var>& p : f.params) declare_var(p);
    const Type& type = f.result_type ? f.result_type : f.body->type;
    const PlaceTree tree = new_places(type, fmt::format("the result of {}", name));
    fix_demanded(tree, f.result_type, f.body->type, {fmt::format("the result of `{}` is promised on", name), f.span});
    out_.results_.emplace(&f, tree);
  }

  void walk(const Function& f) {
    const PlaceTree body = walk(*f.body);
    join(out_.results_.at(&f), body, {"it is the function's result", f.body->span ? f.body->span : f.span});
  }

  PlaceTree walk(const SeqExpr& seq) {
    for (const Ref<BindingBlock>& block : seq.blocks)
      for (const Binding& b : block->bindings) walk(b);
    return out_.places_of(seq.body);
  }

  void walk(const Binding& b) {
    declare_var(b.var, b.value->type);
    const PlaceTree& own = out_.vars_.at(b.var);
    if (const auto* f = find<Function>(b.value)) {
      declare(*f, b.var->name);
      local_.emplace(b.var, f);
      return walk(*f);
    }
    if (const auto* branch = find<If>(b.value)) {
      const PlaceTree then_value = walk(*branch->then_branch), else_value = walk(*branch->else_branch);
      const PlaceFact fact{fmt::format("`{}` is what either branch gives", b.var->name), b.span};
      const PlaceTree places = out_.vars_.at(b.var);
      join(places, then_value, fact);
      return join(places, else_value, fact);
    }
    if (const auto* call = find<Call>(b.value)) return walk(*call, b, own);
    const char* text = b.is_match_cast() ? "cast to" : "known as";
    join(own, out_.places_of(b.value), {fmt::format("it is {} `{}`", text, b.var->name), b.span});
  }

  void walk(const Call& call, const Binding& b, const PlaceTree own) {
    const Span span = b.span ? b.span : call.span;
    if (find_call(b.value, "hint_on_device") || find_call(b.value, "to_vdevice")) return walk_request(b, own, span);
    if (const Function* callee = known_callee(call.callee)) return walk_call(call, *callee, own, b.var, span);
    const PlaceFact fact{fmt::format("{} makes `{}` of what lies with it", callee_name(call), b.var->name), span};
    for (const Type& type : call.type_args)
      fix_demanded(own, type, nullptr, {fmt::format("{} promises `{}` on", callee_name(call), b.var->name), span});
    const std::vector<int> results = leaves(own);
    std::vector<int> operands;
    for (const Expr& arg : call.args) {
      const std::vector<int> found = leaves(out_.places_of(arg));
      operands.insert(operands.end(), found.begin(), found.end());
    }
    for (int result : results)
      for (int operand : operands) graph().join(result, operand, fact);
    // The operands of a call must be on one device even if the call has no tensor results.
    for (size_t i = 1; results.empty() && i < operands.size(); ++i)
      graph().join(operands[0], operands[i], {fmt::format("{} reads them together", callee_name(call)), span});
    for (size_t i = 1; operands.empty() && i < results.size(); ++i) graph().join(results[0], results[i], fact);
  }

  // Visits `hint_on_device` or `to_vdevice`. Operand and result are not joined, since they may be on different devices:
  // the device is demanded for the result, and a hint also wishes it for the operand.
  void walk_request(const Binding& b, const PlaceTree& own, const Span& span) {
    const Call& call = *find<Call>(b.value);
    const bool is_hint = find_call(b.value, "hint_on_device");
    const auto* info = call.attrs.find<Ref<GlobalInfo>>("dst_vdevice");
    const Ref<VDevice> device = is_hint ? hinted_device(call, module_) : find_ref<VDevice>(*info);
    const std::string text =
        fmt::format("{} asks for {}", is_hint ? "R.hint_on_device" : "R.to_vdevice", describe(*device));
    for (int place : leaves(own)) graph().fix(place, device, {text, span});
    if (is_hint)
      for (int place : leaves(out_.places_of(call.args[0]))) graph().wish(place, device, {text, span});
  }

  const Function* known_callee(const Expr& callee) const {
    if (const auto* global = find<GlobalVar>(callee)) return module_.find_as<Function>(global->name).get();
    auto local = local_.find(find_ref<Var>(callee));
    return local == local_.end() ? nullptr : local->second;
  }

  void walk_call(const Call& call, const Function& callee, const PlaceTree& own, const Ref<Var>& result,
                 const Span& span) {
    const int number = number_of(call, result);
    for (size_t i = 0; i < std::min(call.args.size(), callee.params.size()); ++i)
      join(out_.places_of(call.args[i]), out_.vars_.at(callee.params[i]),
           {fmt::format("it is `{}` inside of {}", callee.params[i]->name, callee_name(call)), span}, number);
    join(own, out_.results_.at(&callee),
         {fmt::format("`{}` is the result of {}", result->name, callee_name(call)), span}, number);
  }

  // Returns the number of a call for the device graph. A recursive call calls the copy that it is in, and a local
  // function belongs to the enclosing function, so neither gets a number of its own.
  int number_of(const Call& call, const Ref<Var>& result) {
    const auto* global = find<GlobalVar>(call.callee);
    if (!global) return DeviceGraph::kWithin;
    const std::optional<size_t> group = groups_.find(global->name);
    if (!group) return DeviceGraph::kShared;
    if (group == inside_) return DeviceGraph::kWithin;
    calls_.push_back({*group, result});
    return static_cast<int>(calls_.size()) - 1;
  }

  static void add_leaves(const PlaceTree& tree, std::vector<int>& out) {
    if (tree.place >= 0) out.push_back(tree.place);
    for (const PlaceTree& f : tree.fields) add_leaves(f, out);
  }
  static std::vector<int> leaves(const PlaceTree& tree) {
    std::vector<int> out;
    add_leaves(tree, out);
    return out;
  }

  // Joins the places of two values, field by field. When the structure of one value is unknown, all its tensors are
  // joined with all tensors of the other value.
  void join(const PlaceTree& a, const PlaceTree& b, const PlaceFact& fact, int call = DeviceGraph::kWithin) {
    if (a.fields.size() == b.fields.size() && a.place < 0 && b.place < 0) {
      for (size_t i = 0; i < a.fields.size(); ++i) join(a.fields[i], b.fields[i], fact, call);
      return;
    }
    const std::vector<int> left = leaves(a), right = leaves(b);
    for (int l : left)
      for (int r : right) graph().join(l, r, fact, call);
  }

  DevicePlacement& out_;
  const Module& module_;
  const std::map<std::string, std::string>& origins_;
  const PrivateGroups groups_;
  std::optional<size_t> inside_;  // group of the function being walked
  std::vector<NumberedCall> calls_;
  std::unordered_map<Ref<Var>, const Function*> local_;
};

DevicePlacement::DevicePlacement(const Module& module, const std::map<std::string, std::string>& origins) {
  const PlacementWalk walk(*this, module, origins);
  graph_.solve();
  std::map<int, std::vector<int>> apart_from;  // for each call, the earlier calls that need another copy
  for (const auto& [first, second] : graph_.parted_calls()) apart_from[second].push_back(first);
  std::map<int, size_t> copy_for;
  for (const auto& [call, others] : apart_from) {
    std::set<size_t> taken;
    for (int other : others) taken.insert(copy_for[other]);
    size_t& copy = copy_for[call];
    while (taken.contains(copy)) ++copy;
    const PlacementWalk::NumberedCall& numbered = walk.calls()[static_cast<size_t>(call)];
    wanted_copies_.push_back({numbered.group, numbered.result, copy});
  }
}

PlaceTree DevicePlacement::places_of(const Expr& e) const {
  if (Ref<Var> v = find_ref<Var>(e)) {
    auto known = vars_.find(v);
    return known == vars_.end() ? PlaceTree() : known->second;
  }
  PlaceTree out;
  if (const auto* tuple = find<Tuple>(e))
    for (const Expr& f : tuple->fields) out.fields.push_back(places_of(f));
  if (const auto* item = find<TupleGetItem>(e)) {
    PlaceTree whole = places_of(item->tuple);
    if (whole.place >= 0) return whole;
    if (static_cast<size_t>(item->index) < whole.fields.size()) return whole.fields[static_cast<size_t>(item->index)];
  }
  return out;
}

Type DevicePlacement::placed(const Ref<Var>& v, const Type& type) const {
  auto known = vars_.find(v);
  if (known == vars_.end()) return type;
  return with_devices(type, known->second, [&](int place) { return graph_.device(place); });
}

Type DevicePlacement::placed_result(const Function& f, const Type& type) const {
  auto known = results_.find(&f);
  if (known == results_.end() || !type) return type;
  return with_devices(type, known->second, [&](int place) { return graph_.device(place); });
}

Ref<VDevice> DevicePlacement::device_of(const Expr& tensor) const {
  const PlaceTree tree = places_of(tensor);
  return tree.place < 0 ? nullptr : graph_.device(tree.place);
}

std::vector<DevicePlacement::Reasons> DevicePlacement::reasons(const Ref<Var>& v) const {
  std::vector<Reasons> out;
  auto known = vars_.find(v);
  if (known == vars_.end()) return out;
  for_each_place(known->second, v->type, [&](int place, const Ref<VDevice>&) {
    if (graph_.device(place)) out.push_back({graph_.device(place), graph_.reasons(place)});
  });
  return out;
}

}  // namespace sunmao
