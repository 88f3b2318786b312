#include "passes/weights/lift_work.h"

#include <algorithm>

#include "ir/copy.h"
#include "ir/equal.h"
#include "support/diagnostic.h"
#include "support/place.h"

namespace sunmao {
namespace {

class Gatherer {
 public:
  explicit Gatherer(const std::vector<WorkSource>& sources) : sources_(sources) {
    work_.weights = sources[0].weights();
    for (size_t i = 0; i < sources.size(); ++i) gather(i);
  }
  WeightWork take() { return std::move(work_); }

 private:
  void gather(size_t index) {
    const WorkSource& source = sources_[index];
    work_.names.emplace_back();
    taken_.clear();
    FreshCopy copy;
    match_weights(source, copy);
    for (const Binding& b : source.dependence.bindings) add(b, index, copy);
  }

  void name_symbols(const Type& own, const Type& common, FreshCopy& copy) {
    const std::vector<Ref<SymVar>> from = defined_symbols(own), to = defined_symbols(common);
    for (size_t i = 0; i < std::min(from.size(), to.size()); ++i)
      if (work_.names.back().symbols.emplace(from[i], to[i]).second) {
        taken_.insert(to[i]);
        copy.map(from[i], to[i]);
      }
  }

  void match_weights(const WorkSource& source, FreshCopy& copy) {
    const std::vector<Ref<Var>> own = source.weights();
    const std::string &first = sources_[0].var->name, &name = source.var->name;
    if (own.size() != work_.weights.size())
      fail("E0527", source.function->span,
           fmt::format("the weights of `{}` are {} and those of `{}` {}: they cannot share a transform", first,
                       work_.weights.size(), name, own.size()),
           "functions with one transform take the same weights; name those that do: shared_transform=[…]");
    for (size_t i = 0; i < own.size(); ++i) name_symbols(own[i]->type, work_.weights[i]->type, copy);
    for (size_t i = 0; i < own.size(); ++i) {
      const Ref<Var>& common = work_.weights[i];
      if (!structural_equal(copy.copy(own[i]->type), common->type))
        fail({"E0527",
              fmt::format("weight {} of `{}` is {}, that of `{}` is {}: they cannot share a transform", i, first,
                          describe(common->type), name, describe(own[i]->type)),
              own[i]->span,
              {fmt::format("it is called `{}` in `{}` and `{}` in `{}`", common->name, first, own[i]->name, name)},
              "functions with one transform take the same weights; name those that do: shared_transform=[…]"});
      work_.names.back().vars.emplace(own[i], common);
      copy.map(own[i], common);
    }
  }

  void add(const Binding& b, size_t index, FreshCopy& copy) {
    const bool is_constant = sources_[index].dependence.constant.contains(b.var);
    const Expr value = copy.copy(b.value);
    std::vector<size_t>& alike = alike_[structural_hash(value)];
    for (const size_t i : alike) {
      WeightWork::Step& step = work_.steps[i];
      const Binding& common = step.binding;
      if (common.is_match_cast() != b.is_match_cast() || !structural_equal(value, common.value)) continue;
      if (!same_type(common, b, copy)) continue;
      step.users.insert(index);
      if (b.is_match_cast()) name_symbols(b.cast_type, common.cast_type, copy);
      work_.names.back().vars.emplace(b.var, common.var);
      copy.map(b.var, common.var);
      return;
    }
    const Binding fresh = copy.copy(b);
    if (b.is_match_cast()) name_symbols(b.cast_type, fresh.cast_type, copy);
    work_.names.back().vars.emplace(b.var, fresh.var);
    alike.push_back(work_.steps.size());
    work_.step_indices.emplace(fresh.var, work_.steps.size());
    work_.steps.push_back({fresh, {index}, is_constant, true});
  }

  bool same_type(const Binding& common, const Binding& own, const FreshCopy& known) const {
    if (!own.is_match_cast()) return structural_equal(known.copy(own.var->type), common.var->type);
    FreshCopy names = known;
    const std::vector<Ref<SymVar>> from = defined_symbols(own.cast_type), to = defined_symbols(common.cast_type);
    if (from.size() != to.size()) return false;
    for (size_t i = 0; i < from.size(); ++i) {
      if (!may_stand_for(from[i], to[i])) return false;
      names.map(from[i], to[i]);
    }
    return structural_equal(names.copy(own.cast_type), common.cast_type);
  }

  // True when the symbols of two match_casts to be merged play the same role: a cast that checks a known symbol is not
  // merged with a cast that defines a symbol, nor with a cast that checks another symbol.
  bool may_stand_for(const Ref<SymVar>& own, const Ref<SymVar>& common) const {
    const auto named = work_.names.back().symbols.find(own);
    return named == work_.names.back().symbols.end() ? !taken_.contains(common) : named->second == common;
  }

  const std::vector<WorkSource>& sources_;
  WeightWork work_;
  std::unordered_set<Ref<SymVar>> taken_;  // common symbols that symbols of the current function stand for
  std::unordered_map<uint64_t, std::vector<size_t>> alike_;  // step indices by hash of their value
};

// Checks that no two functions prepare a weight in different ways.
class Differences {
 public:
  Differences(const WeightWork& work, const std::vector<WorkSource>& sources) : work_(work), sources_(sources) {}

  void check() const {
    std::unordered_map<Ref<Var>, const WeightWork::Step*> first;
    for (const WeightWork::Step& step : work_.steps) {
      const bool is_work = find<Call>(step.binding.value) || find<If>(step.binding.value);
      if (step.is_constant || !is_work || step.users.size() == sources_.size()) continue;
      for (const Ref<Var>& v : free_vars(step.binding.value)) {
        if (!is_common(v)) continue;
        auto [other, is_new] = first.emplace(v, &step);
        if (!is_new && std::ranges::none_of(step.users, [&](size_t i) { return other->second->users.contains(i); }))
          report(v, *other->second, step);
      }
    }
  }

 private:
  bool is_common(const Ref<Var>& v) const {
    if (std::ranges::find(work_.weights, v) != work_.weights.end()) return true;
    const WeightWork::Step* step = work_.step_of(v);
    return step && !step->is_constant && step->users.size() == sources_.size();
  }

  [[noreturn]] void report(const Ref<Var>& v, const WeightWork::Step& a, const WeightWork::Step& b) const {
    auto told = [&](const WeightWork::Step& step) {
      const std::string place = place_of(step.binding.span);
      return fmt::format("`{}` makes `{}` of it{}", sources_[*step.users.begin()].var->name, step.binding.var->name,
                         place.empty() ? "" : " at " + place);
    };
    fail({"E0528",
          fmt::format("`{}` and `{}` prepare the weight `{}` in different ways", sources_[*a.users.begin()].var->name,
                      sources_[*b.users.begin()].var->name, v->name),
          b.binding.span,
          {told(a), told(b)},
          "variants=True prepares it in both ways; R.builtin.stop_lift_params leaves it as it is"});
  }

  const WeightWork& work_;
  const std::vector<WorkSource>& sources_;
};

}  // namespace

const WeightWork::Step* WeightWork::step_of(const Ref<Var>& common) const {
  auto found = step_indices.find(common);
  return found == step_indices.end() ? nullptr : &steps[found->second];
}

WeightWork find_weight_work(const std::vector<WorkSource>& sources, Sharing sharing) {
  WeightWork work = Gatherer(sources).take();
  if (sources.size() == 1) return work;
  if (sharing != Sharing::Each) Differences(work, sources).check();
  auto is_shared = [&](const WeightWork::Step& s) { return s.users.size() == sources.size(); };
  const bool nothing_shared =
      std::ranges::none_of(work.steps, [&](const auto& s) { return !s.is_constant && is_shared(s); });
  work.reads_in_order = sharing == Sharing::Each || (sharing == Sharing::CommonOrEach && nothing_shared);
  if (work.reads_in_order) return work;
  for (WeightWork::Step& step : work.steps) step.is_lifted = is_shared(step);
  return work;
}

}  // namespace sunmao
