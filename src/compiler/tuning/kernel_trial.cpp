#include "compiler/tuning/kernel_trial.h"

#include <algorithm>

namespace sunmao {

KernelTrial::KernelTrial(const TunableKernel& kernel, const TuneOptions& options, const TuningEntry* known)
    : kernel_(kernel), target_(options.target) {
  groups_ = find_plans(kernel.form, target_);
  for (const GroupPlans& plans : groups_) chosen_.push_back(plans.front());
  // Times against another first plan say nothing of this one.
  if (known && known->first == chosen_) (options.again ? older_.emplace() : entry_) = *known;
  entry_.kernel = kernel.digest;
  entry_.target = target_.text();
  entry_.machine = options.machine;
  entry_.name = kernel.names.front();
  entry_.first = chosen_;
  if (entry_.plans.empty()) entry_.plans = chosen_;
}

TuningEntry KernelTrial::entry_to_keep() const {
  TuningEntry out = entry_;
  if (!older_) return out;
  if (!out.is_tuned()) {
    out.plans = older_->plans;
    out.is_used = older_->is_used;
    out.model = older_->model;
  }
  for (const PlanTimes& times : older_->times)
    if (std::ranges::find(out.times, times.plans, &PlanTimes::plans) == out.times.end()) out.times.push_back(times);
  return out;
}

// A plan may leave more statements to other groups than the first one.
void KernelTrial::choose_best() {
  const std::vector<std::string>& best = entry_.plans;
  const Ref<BaseFunc> form =
      kernel_.form->with_attrs(kernel_.form->attrs.with(kPlansAttr, AttrList(best.begin(), best.end())));
  const Ref<PrimFunc> chosen = find_ref<PrimFunc>(Expr(form));
  if (!has_chosen_plans(chosen, target_)) return;
  chosen_ = best;
  groups_ = find_plans(chosen, target_);
  for (size_t g = chosen_.size(); g < groups_.size(); ++g) chosen_.push_back(groups_[g].front());
}

RatioInterval KernelTrial::ratio() const {
  const auto found = std::ranges::find(entry_.times, entry_.plans, &PlanTimes::plans);
  return found == entry_.times.end() ? RatioInterval() : found->ratio;
}

void KernelTrial::compare(const PlanTimes& times) {
  if (!times.ratio.is_faster() || times.ratio.median >= best_) return;
  best_ = times.ratio.median;
  entry_.plans = times.plans;
}

std::optional<std::vector<std::string>> KernelTrial::next() {
  while (group_ < groups_.size()) {
    if (plan_ == groups_[group_].size()) {  // the next group, behind the best plan of this one
      ++group_;
      plan_ = 1;
      if (group_ < groups_.size() && chosen_ != entry_.plans) choose_best();
      continue;
    }
    std::vector<std::string> plans = chosen_;
    plans[group_] = groups_[group_][plan_];
    const auto known = std::ranges::find(entry_.times, plans, &PlanTimes::plans);
    if (known == entry_.times.end()) return plans;
    compare(*known);
    ++plan_;
  }
  older_.reset();
  return std::nullopt;
}

size_t KernelTrial::count_left() const {
  size_t out = 0;
  for (size_t g = group_; g < groups_.size(); ++g) out += groups_[g].size() - 1;
  return group_ < groups_.size() ? out - (plan_ - 1) : 0;
}

void KernelTrial::record(PlanTimes times, double first_seconds) {
  entry_.times.push_back(std::move(times));
  entry_.seconds = first_seconds;
  entry_.is_used = true;
  entry_.model.reset();
  has_measured_ = true;
  compare(entry_.times.back());
}

void KernelTrial::confirm(PlanTimes times) {
  *std::ranges::find(entry_.times, times.plans, &PlanTimes::plans) = times;
  has_measured_ = true;
  if (times.ratio.is_faster()) return;
  entry_.plans = entry_.first;
  best_ = 1;
  for (const PlanTimes& other : entry_.times) compare(other);
}

}  // namespace sunmao
