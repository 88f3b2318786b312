#include "passes/devices/device_copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/copy.h"
#include "ir/equal.h"
#include "passes/analysis/rename_functions.h"

namespace sunmao {
namespace {

using Names = std::map<std::string, std::string>;

// Makes calls refer to copies of their callees. The map is keyed by the variable that is bound to the call.
class Redirects final : public Rewriter {
 public:
  explicit Redirects(const std::unordered_map<Ref<Var>, const Names*>& callees) : callees_(callees) {}

 private:
  using Rewriter::visit;
  void visit(const Binding& b) override {
    auto known = callees_.find(b.var);
    if (known == callees_.end()) return Rewriter::visit(b);
    const Call& call = *find<Call>(b.value);
    const std::string& callee = known->second->at(find<GlobalVar>(call.callee)->name);
    bind(b, Call::make_typed(GlobalVar::make(callee, call.callee->span), call.args, call.attrs, call.type_args,
                             call.type, call.span));
  }
  const std::unordered_map<Ref<Var>, const Names*>& callees_;
};

std::string free_name(const Module& module, const std::string& origin, const std::set<std::string>& taken) {
  for (size_t number = 1;; ++number)
    if (std::string name = fmt::format("{}_{}", origin, number); !module.find(name) && !taken.contains(name))
      return name;
}

// Returns a module of the functions `from` under the names `to`; references among these functions are renamed as well.
Module renamed(const Module& module, const std::vector<std::string>& from, const std::vector<std::string>& to) {
  std::vector<FunctionEntry> part;
  Names names;
  for (size_t i = 0; i < from.size(); ++i) {
    part.push_back({module.find_var(from[i]), module.find(from[i])});
    names[from[i]] = to[i];
  }
  return rename_functions(Module().with_functions(std::move(part)), names);
}

bool is_same_code(const Module& module, const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const Module as_a = renamed(module, b, a);
  return std::ranges::all_of(
      a, [&](const std::string& name) { return structural_equal(Expr(module.find(name)), Expr(as_a.find(name))); });
}

}  // namespace

DeviceCopies::Group DeviceCopies::origin_of(const Group& group) const {
  Group out;
  for (const std::string& name : group) out.push_back(origins_.contains(name) ? origins_.at(name) : name);
  return out;
}

// Chooses unused names for a copy of a group; names in `taken` count as used.
DeviceCopies::Group DeviceCopies::name_copy(const Group& origin, const Module& module, std::set<std::string>& taken) {
  Group out;
  for (const std::string& name : origin) {
    out.push_back(free_name(module, name, taken));
    taken.insert(out.back());
    origins_[out.back()] = name;
  }
  return out;
}

Module DeviceCopies::make(const Module& module, const std::vector<WantedCopy>& wanted) {
  struct Copy {
    Group from, to;
    Names names;
  };
  const PrivateGroups groups(module);
  std::map<std::pair<size_t, size_t>, Copy> made;
  std::set<std::string> taken;
  std::unordered_map<Ref<Var>, const Names*> callees;
  for (const WantedCopy& w : wanted) {
    if (w.copy == 0) continue;
    Copy& copy = made[{w.group, w.copy}];
    callees[w.result] = &copy.names;
    if (!copy.to.empty()) continue;
    copy.from = groups.members(w.group);
    const Group origin = origin_of(copy.from);
    copy.to = name_copy(origin, module, taken);
    for (size_t i = 0; i < copy.from.size(); ++i) copy.names[copy.from[i]] = copy.to[i];
    std::vector<Group>& all = copies_[origin];
    if (all.empty()) all.push_back(origin);
    all.push_back(copy.to);
  }
  const Module redirected =
      map_functions(module, [&](const Ref<Function>& f) { return Redirects(callees).rewrite(f); });
  std::vector<FunctionEntry> added;
  for (const auto& [number, copy] : made) {
    const Module part = renamed(redirected, copy.from, copy.to);
    for (const FunctionEntry& e : part.functions())
      added.push_back({e.var, FreshCopy().copy(find_ref<Function>(Expr(e.func)))});
  }
  return redirected.with_functions(std::move(added));
}

Module DeviceCopies::merge(const Module& module, const Module& placed) {
  Names merged;
  for (auto& [origin, all] : copies_) {
    std::vector<Group> kept;
    for (const Group& copy : all) {
      auto same = std::ranges::find_if(kept, [&](const Group& earlier) { return is_same_code(placed, earlier, copy); });
      for (size_t i = 0; same != kept.end() && i < copy.size(); ++i) merged[copy[i]] = (*same)[i];
      if (same == kept.end()) kept.push_back(copy);
    }
    all = std::move(kept);
  }
  if (merged.empty()) return module;
  Module rest = module;
  for (const auto& [name, kept] : merged) rest = rest.without_function(name);
  return numbered(rename_functions(rest, merged));
}

// Renumbers the remaining copies from 1, because merging equal copies leaves gaps in their numbers.
Module DeviceCopies::numbered(const Module& module) {
  Module others = module;
  for (const auto& [copy, origin] : origins_) others = others.without_function(copy);
  origins_.clear();
  Names names;
  std::set<std::string> taken;
  for (auto& [origin, all] : copies_)
    for (size_t i = 1; i < all.size(); ++i) {
      const Group named = name_copy(origin, others, taken);
      for (size_t member = 0; member < named.size(); ++member) names[all[i][member]] = named[member];
      all[i] = named;
    }
  return rename_functions(module, names);
}

}  // namespace sunmao
