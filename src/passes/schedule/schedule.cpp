#include "passes/schedule/schedule.h"

#include <algorithm>

#include "passes/loop/buffer_views.h"
#include "passes/loop/kernel_forms.h"
#include "passes/passes.h"
#include "passes/schedule/family.h"
#include "passes/schedule/schedule_blocks.h"
#include "passes/schedule/trailing_ones.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

/// Returns the groups of a family among the statements from `begin` to `end`.
std::vector<StatementGroup> groups_of(const Family& family, const PrimFunc& func, const RootBody& root, size_t begin,
                                      size_t end) {
  std::vector<StatementGroup> out;
  for (size_t i = begin; i < end;) {
    std::optional<StatementGroup> group = family.recognise(func, root, i);
    i += group ? group->count : 1;
    if (group && i <= end) out.push_back(*std::move(group));
  }
  return out;
}

void replace(RootBody& root, size_t first, WrittenGroup written) {
  const auto at = root.stmts.begin() + static_cast<std::ptrdiff_t>(first);
  *at = std::move(written.loops);
  root.stmts.erase(at + 1, at + static_cast<std::ptrdiff_t>(written.count));
  root.temps.insert(root.temps.end(), written.temporaries.begin(), written.temporaries.end());
}

/// Takes the plans of groups one after the other, from the texts of kPlansAttr. The two versions of a form share the
/// texts, of which one may have a group more.
class PlanTexts {
 public:
  PlanTexts(const PrimFunc& func, const Target& target)
      : texts_(chosen_plans(func)), is_shared_(func.attrs.has(kHasVersionsAttr)), span_(func.span), target_(target) {}

  /// Collects the plans of groups in `all`, without those that are written as another one.
  PlanTexts& collecting(std::vector<GroupPlans>& all) {
    all_ = &all;
    return *this;
  }

  /// Does not fail; `are_there` says whether all texts have been plans of groups.
  PlanTexts& looking() {
    only_looks_ = true;
    return *this;
  }
  bool are_there() const { return !is_missing_ && number_ == texts_.size(); }

  /// Returns the text for the next group; empty for the first plan.
  std::string next(const Family& family, const GroupInKernel& at) {
    if (!family.plans || (!all_ && number_ == texts_.size())) return {};
    const GroupPlans plans = family.plans(at, target_);
    if (plans.size() < 2) return {};
    if (all_) all_->push_back(distinct(family, at, plans));
    if (number_ == texts_.size()) return {};
    const std::string& text = texts_[number_++];
    if (std::ranges::find(plans, text) != plans.end()) return text;
    is_missing_ = true;
    if (is_shared_ || only_looks_) return {};
    fail("E0547", span_, fmt::format("{}: a kernel has no plan `{}` for {}", kPlansAttr, text, target_.text()),
         fmt::format("the plans of this group of statements are `{}`", fmt::join(plans, "`, `")));
  }

  /// Fails where texts are left that no group has taken.
  void check_taken() const {
    if (number_ < texts_.size() && !is_shared_ && !only_looks_)
      fail("E0547", span_,
           fmt::format("{}: {} plans are given for a kernel with {} groups of statements that have a choice",
                       kPlansAttr, texts_.size(), number_),
           "leave the attribute out, or give one text for each group");
  }

 private:
  GroupPlans distinct(const Family& family, const GroupInKernel& at, const GroupPlans& plans) const {
    GroupPlans out;
    std::vector<Stmt> known;
    for (const std::string& plan : plans) {
      const std::optional<WrittenGroup> written = family.write(at, target_, plan);
      if (!written || std::ranges::any_of(known, [&](const Stmt& s) { return structural_equal(s, written->loops); }))
        continue;
      known.push_back(written->loops);
      out.push_back(plan);
    }
    return out;
  }

  const std::vector<std::string> texts_;
  const bool is_shared_;
  const Span span_;
  const Target& target_;
  size_t number_ = 0;
  bool only_looks_ = false, is_missing_ = false;
  std::vector<GroupPlans>* all_ = nullptr;
};

/// Writes the groups of one family, first to last. Where it declines one, it may have another that begins within.
Ref<PrimFunc> scheduled_by(const Family& family, const Ref<PrimFunc>& func, const Target& target, PlanTexts& texts) {
  if (!read_root(*func)) return func;
  const Ref<PrimFunc> named = family.has_views ? with_data_names(func) : func;
  RootBody root = *read_root(*named);
  std::vector<StatementGroup> groups = groups_of(family, *named, root, 0, root.stmts.size());
  const size_t count = groups.size();
  size_t gone = 0;  // statements before those that are left
  bool changed = false;
  for (size_t g = 0; g < groups.size(); ++g) {
    groups[g].first -= gone;
    const GroupInKernel at{groups[g], *named, root, count};
    if (std::optional<WrittenGroup> written = family.write(at, target, texts.next(family, at))) {
      gone += written->count - 1;
      replace(root, groups[g].first, *std::move(written));
      changed = true;
      continue;
    }
    const size_t begin = groups[g].first + 1, end = groups[g].first + groups[g].count;
    std::vector<StatementGroup> within = groups_of(family, *named, root, begin, end);
    for (StatementGroup& group : within) group.first += gone;
    groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(g) + 1, within.begin(), within.end());
  }
  return changed ? with_root(named, root) : func;
}

// Dimensions of one element at the end hide what loops are: they are left out meanwhile.
Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target, PlanTexts& texts) {
  const Ref<PrimFunc> narrow = without_trailing_ones(func);
  Ref<PrimFunc> all = narrow;
  for (const Family* family : families()) all = scheduled_by(*family, all, target, texts);
  texts.check_taken();
  all = schedule_blocks(all);
  return narrow == func ? all : all == narrow ? func : with_trailing_ones(all, func);
}

/// Returns a form with the first of its versions alone.
Ref<PrimFunc> first_version(const Ref<PrimFunc>& form) {
  const auto* versions = form->attrs.has(kHasVersionsAttr) ? find<IfThenElse>(form->body) : nullptr;
  return versions ? form->with_body(versions->then_case) : form;
}

}  // namespace

Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target) {
  PlanTexts texts(*func, target);
  const Ref<PrimFunc> scheduled = schedule(func, target, texts);
  if (!scheduled->attrs.has(kPlansAttr)) return scheduled;
  return PrimFunc::make(scheduled->params, scheduled->body, scheduled->attrs.without(kPlansAttr),
                        scheduled->result_type, scheduled->span);
}

std::vector<GroupPlans> find_plans(const Ref<PrimFunc>& func, const Target& target) {
  std::vector<GroupPlans> out;
  PlanTexts texts(*func, target);
  schedule(first_version(func), target, texts.collecting(out));
  return out;
}

bool has_chosen_plans(const Ref<PrimFunc>& func, const Target& target) {
  PlanTexts texts(*func, target);
  schedule(first_version(func), target, texts.looking());
  return texts.are_there();
}

std::vector<std::string> chosen_plans(const PrimFunc& func) {
  const AttrValue* value = func.attrs.find(kPlansAttr);
  if (!value) return {};
  const auto* list = value->find<AttrList>();
  std::vector<std::string> out;
  for (const AttrValue& item : list ? *list : AttrList())
    if (const auto* text = item.find<std::string>()) out.push_back(*text);
  if (!list || out.size() != list->size())
    fail("E0547", func.span, fmt::format("{}: a list of texts is expected", kPlansAttr),
         "one text for each group of statements that has a choice: [\"tile 4x3\"]");
  return out;
}

Module schedule(const Module& m, const PassContext& ctx) {
  return map_forms(m, ctx, [](const Ref<PrimFunc>& f, const Target& target) { return schedule(f, target); });
}

}  // namespace sunmao
