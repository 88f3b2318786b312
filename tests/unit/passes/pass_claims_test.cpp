// Checks the claims of pass records over the corpus: inputs are unchanged, results deterministic, idempotence holds
// where claimed and fails somewhere where denied, facts are needed and ensured, passes commute.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "ir/equal.h"
#include "ir/verify.h"
#include "passes/facts.h"
#include "passes/pass_arguments.h"
#include "support/diagnostic.h"
#include "tests/unit/passes/module_corpus.h"

namespace sunmao {
namespace {

const std::vector<CorpusModule>& corpus() {
  static const std::vector<CorpusModule> modules = module_corpus();
  return modules;
}

bool has(const Module& m, Fact fact) { return info_of(fact).find_breach(m).empty(); }

// Returns the arguments of the module's script case if it is one of this pass, else the default test arguments.
PassContext context_of(const Pass& pass, const CorpusModule& m) {
  PassContext context;
  context.target = Target::parse("x86-64-v4");
  if (m.pass == pass.name)
    context.arguments = m.arguments;
  else if (std::string_view(pass.name) == "update-vdevice")
    context.arguments = {{"new_vdevice", AttrValue(Ref<GlobalInfo>(VDevice::make("cuda", 3, "global")))}};
  return context;
}

// Returns the result of a pass; absent when it rejects the module.
std::optional<Module> result_of(const Pass& pass, const Module& m, const PassContext& context) {
  try {
    return pass.run(m, context);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

// Returns the corpus with ops legalised to kernels.
const std::vector<std::optional<Module>>& legal_corpus() {
  static const std::vector<std::optional<Module>> modules = [] {
    std::vector<std::optional<Module>> out;
    for (const CorpusModule& m : corpus()) out.push_back(result_of(*find_pass("legalize-ops"), m.module, {}));
    return out;
  }();
  return modules;
}

// True for a pass whose arguments are kernels, which script cases cannot express: tests/python/test_py_alter_op.py
// tests it.
bool is_tried_elsewhere(const Pass& pass) { return std::string_view(pass.name) == "alter-op-impl"; }

// What the corpus has demonstrated about a pass.
struct Shown {
  bool changes = false, takes = false, twice_differs = false;
  std::map<Fact, bool> needed, ensured;  // a module demonstrated that the claim is not vacuous
};

void check_needs(const Pass& pass, const CorpusModule& m, const std::optional<Module>& after, Shown& shown) {
  const std::vector<Diagnostic> found = after ? verify(*after, Stage::Imported, 1) : std::vector<Diagnostic>();
  for (Fact fact : pass.needs)
    if (!has(m.module, fact) && (!after || !found.empty())) shown.needed[fact] = true;
  if (!after || !std::ranges::all_of(pass.needs, [&](Fact f) { return has(m.module, f); })) return;
  EXPECT_TRUE(found.empty()) << render(found[0]);
}

void check_twice(const Pass& pass, const Module& after, const PassContext& context, Shown& shown) {
  const std::optional<Module> again = result_of(pass, after, context);
  const std::string difference = again ? first_difference(after, *again) : "it refuses its result";
  shown.twice_differs |= !difference.empty();
  if (!pass.is_idempotent()) return;
  EXPECT_EQ(difference, "") << "not idempotent";
}

void check_on(const Pass& pass, const CorpusModule& m, Shown& shown) {
  const PassContext context = context_of(pass, m);
  const uint64_t hash = computed_hash(m.module);
  const std::optional<Module> after = result_of(pass, m.module, context);
  EXPECT_EQ(computed_hash(m.module), hash) << "the pass changed its input";
  check_needs(pass, m, after, shown);
  if (!after) return;
  shown.takes = true;
  if (after->same_as(m.module) && std::ranges::all_of(pass.ensures, [&](Fact f) { return has(*after, f); })) return;
  EXPECT_EQ(first_difference(*after, pass.run(m.module, context)), "") << "another result the second time";
  shown.changes |= !structural_equal(*after, m.module);
  check_twice(pass, *after, context, shown);
  if (!context.arguments.empty()) return;
  for (Fact fact : pass.ensures) {
    EXPECT_EQ(info_of(fact).find_breach(*after), "") << "it does not ensure " << info_of(fact).name;
    shown.ensured[fact] |= !has(m.module, fact);
  }
}

class PassClaims : public testing::TestWithParam<const Pass*> {};

TEST_P(PassClaims, HoldOverTheCorpus) {
  const Pass& pass = *GetParam();
  Shown shown;
  for (const CorpusModule& m : corpus()) {
    SCOPED_TRACE(m.name);
    check_on(pass, m, shown);
  }
  EXPECT_TRUE(shown.takes);
  if (is_tried_elsewhere(pass) || !is_whole_corpus()) return;
  EXPECT_TRUE(shown.changes) << "no module of the corpus is changed by it";
  EXPECT_EQ(shown.twice_differs, !pass.is_idempotent()) << "no module shows that it is not idempotent";
  for (Fact fact : pass.needs) EXPECT_TRUE(shown.needed[fact]) << "it does well without " << info_of(fact).name;
  for (Fact fact : pass.ensures) EXPECT_TRUE(shown.ensured[fact]) << "no module lacked " << info_of(fact).name;
}

// The output must satisfy the strongest stage of the input, unless the pass may break that stage or one that it
// includes.
void check_stage(const Pass& pass, const Module& m, const PassContext& context, bool& is_broken) {
  if (!std::ranges::all_of(pass.needs, [&](Fact f) { return has(m, f); })) return;
  const std::optional<Module> after = result_of(pass, m, context);
  if (!after || after->same_as(m)) return;
  const Stage before = find_stage(m).value_or(Stage::Raw);
  const bool may_break = pass.breaks && before >= *pass.breaks;
  if (verify(*after, before, 1).empty()) return;
  EXPECT_TRUE(may_break) << render(verify(*after, before, 1)[0]);
  is_broken = true;
}

TEST_P(PassClaims, KeepTheStage) {
  const Pass& pass = *GetParam();
  bool is_broken = false;
  for (size_t i = 0; i < corpus().size(); ++i) {
    const CorpusModule& m = corpus()[i];
    SCOPED_TRACE(m.name);
    const PassContext context = context_of(pass, m);
    check_stage(pass, m.module, context, is_broken);
    if (legal_corpus()[i]) check_stage(pass, *legal_corpus()[i], context, is_broken);
  }
  if (is_tried_elsewhere(pass) || !is_whole_corpus()) return;
  EXPECT_EQ(is_broken, pass.breaks.has_value()) << "no module shows that it breaks a stage";
}

TEST_P(PassClaims, NamesPassesThatCommute) {
  const Pass& pass = *GetParam();
  for (const char* name : pass.commutes_with) {
    SCOPED_TRACE(name);
    const Pass* other = find_pass(name);
    ASSERT_TRUE(other) << "no such pass";
    EXPECT_TRUE(std::ranges::any_of(other->commutes_with, [&](const char* n) { return n == std::string(pass.name); }))
        << "it does not say so, too";
    if (other < &pass) continue;  // each pair is checked once
    bool both_change = false;
    for (const CorpusModule& m : corpus()) {
      PassContext context;
      context.target = Target::parse("x86-64-v4");
      const std::optional<Module> a = result_of(pass, m.module, context), b = result_of(*other, m.module, context);
      if (!a || !b) continue;
      const std::optional<Module> ab = result_of(*other, *a, context), ba = result_of(pass, *b, context);
      if (ab && ba) {
        EXPECT_EQ(first_difference(*ab, *ba), "") << m.name;
      }
      both_change |= !structural_equal(*a, m.module) && !structural_equal(*b, m.module);
    }
    EXPECT_TRUE(both_change || !is_whole_corpus()) << "no module of the corpus is changed by both";
  }
}

std::vector<const Pass*> pass_pointers() {
  std::vector<const Pass*> out;
  for (const Pass& p : all_passes()) out.push_back(&p);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Passes, PassClaims, testing::ValuesIn(pass_pointers()), [](const auto& of) {
  std::string name = of.param->name;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Facts, StandInTheOrderOfTheirEnum) {
  for (size_t i = 0; i < all_facts().size(); ++i) EXPECT_EQ(static_cast<size_t>(all_facts()[i].fact), i);
}

}  // namespace
}  // namespace sunmao
