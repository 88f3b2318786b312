// Reduction of modules: what is left for a given failure, and what the test for a failure gets.
#include "compiler/reduce_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "compiler/reduction/subset.h"
#include "ir/equal.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using testing::HasSubstr;
using testing::Not;

Model script_model(const std::string& body) {
  return {.module = parse_module(Source::make("m.py", "@I.ir_module\nclass Module:\n" + body), builtin_ops()),
          .weights = {},
          .states = {}};
}

/// Reduces to what prints as a script with all the words.
Reduced reduced_to(const Model& model, const std::vector<std::string>& words) {
  return reduce_model(model, {.fails = [&](const Model& candidate) {
                        const std::string text = print(candidate.module);
                        return std::ranges::all_of(
                            words, [&](const std::string& w) { return text.find(w) != std::string::npos; });
                      }});
}

const char* const kBranch = R"(
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4, 6), "float32")) -> R.Tensor((4, 6), "float32"):
        y: R.Tensor((4, 6), "float32") = R.exp(x)
        if c:
            a: R.Tensor((4, 6), "float32") = R.tanh(y)
            z: R.Tensor((4, 6), "float32") = R.sin(a)
        else:
            z: R.Tensor((4, 6), "float32") = R.cos(y)
        w: R.Tensor((4, 6), "float32") = R.erf(z)
        return w
)";

TEST(ReduceModel, takes_one_way_of_a_branch) {
  const Reduced reduced = reduced_to(script_model(kBranch), {"R.tanh("});
  const std::string text = print(reduced.model.module);
  EXPECT_EQ(count_calls(reduced.model.module), 1u) << text;
  EXPECT_THAT(text, Not(HasSubstr("if ")));
  EXPECT_THAT(text, HasSubstr("(1, 1)"));
}

TEST(ReduceModel, keeps_a_branch_that_the_failure_needs) {
  const Reduced reduced = reduced_to(script_model(kBranch), {"if ", "R.erf("});
  EXPECT_THAT(print(reduced.model.module), HasSubstr("if "));
  EXPECT_TRUE(verify(reduced.model.module, Stage::Raw).empty());
}

const char* const kCalled = R"(
    @R.function(private=True)
    def helper(x: R.Tensor((4, 6), "float32")) -> R.Tensor((4, 6), "float32"):
        with R.dataflow():
            a: R.Tensor((4, 6), "float32") = R.tanh(x)
            b: R.Tensor((4, 6), "float32") = R.sigmoid(a)
            c: R.Tensor((4, 6), "float32") = R.negative(b)
            R.output(c)
        return c

    @R.function
    def main(x: R.Tensor((4, 6), "float32")) -> R.Tensor((4, 6), "float32"):
        cls = Module
        with R.dataflow():
            y: R.Tensor((4, 6), "float32") = R.exp(x)
            z: R.Tensor((4, 6), "float32") = cls.helper(y)
            w: R.Tensor((4, 6), "float32") = R.erf(z)
            R.output(w)
        return w
)";

TEST(ReduceModel, cuts_a_function_that_is_called) {
  const Reduced reduced = reduced_to(script_model(kCalled), {"R.sigmoid(", "cls.helper("});
  const std::string text = print(reduced.model.module);
  EXPECT_EQ(count_calls(reduced.model.module), 2u) << text;  // the call, and the sigmoid
}

TEST(ReduceModel, makes_a_called_function_the_only_one) {
  const Reduced reduced = reduced_to(script_model(kCalled), {"R.tanh(", "R.sigmoid("});
  EXPECT_EQ(reduced.model.module.functions().size(), 1u);
  EXPECT_EQ(count_calls(reduced.model.module), 2u);
}

const char* const kSizes = R"(
    @R.function
    def main(x: R.Tensor(("n", 12, 64), "float32")) -> R.Tensor(("n", 768), "float32"):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 768), "float32") = R.reshape(x, R.shape([n, 768]))
            z: R.Tensor((n, 768), "float32") = R.exp(y)
            R.output(z)
        return z
)";

TEST(ReduceModel, keeps_products_of_sizes_products) {
  const Reduced reduced = reduced_to(script_model(kSizes), {"R.reshape("});
  const std::string text = print(reduced.model.module);
  for (const char* size : {"768", "64", "12", "n"}) EXPECT_THAT(text, Not(HasSubstr(fmt::format(" {})", size))));
}

TEST(ReduceModel, keeps_a_symbol_that_the_failure_needs) {
  const Reduced reduced = reduced_to(script_model(kSizes), {"T.int64()", "R.exp("});
  EXPECT_EQ(count_calls(reduced.model.module), 1u);
  EXPECT_THAT(print(reduced.model.module), HasSubstr("T.int64()"));
}

TEST(ReduceModel, tests_well_formed_modules_alone_and_none_twice) {
  const Model model = script_model(kCalled);
  std::set<uint64_t> seen{structural_hash(model.module)};
  const Reduced reduced = reduce_model(model, {.fails = [&](const Model& candidate) {
                                         EXPECT_TRUE(verify(candidate.module, Stage::Raw).empty());
                                         EXPECT_TRUE(seen.insert(structural_hash(candidate.module)).second);
                                         return print(candidate.module).find("R.exp(") != std::string::npos;
                                       }});
  EXPECT_EQ(reduced.tries + 1, seen.size());
}

TEST(ReduceModel, stops_with_the_smallest_so_far) {
  bool has_failed = false;
  const Reduced reduced = reduce_model(script_model(kCalled), {.fails = [&](const Model&) { return has_failed = true; },
                                                               .is_cancelled = [&] { return has_failed; }});
  EXPECT_TRUE(reduced.is_stopped);
  EXPECT_EQ(reduced.tries, 1u);
}

TEST(ReduceModel, does_nothing_when_no_smaller_model_fails) {
  const Model model = script_model(kCalled);
  const Reduced reduced = reduce_model(model, {.fails = [](const Model&) { return false; }});
  EXPECT_TRUE(reduced.model.module.same_as(model.module));
}

TEST(ReduceModel, refuses_what_is_not_well_formed) {
  Model model = script_model(kSizes);
  const Ref<Function> main = model.module.find_as<Function>("main");
  model.module = model.module.with_function("main", Function::make({}, main->body, main->result_type, true));
  EXPECT_THROW(reduce_model(model, {.fails = [](const Model&) { return true; }}), UserError);
}

TEST(MinimalSubset, finds_few_of_many_in_few_tests) {
  size_t tests = 0;
  const auto holds = [&](const reduction::Indices& items) {
    ++tests;
    return std::ranges::count(items, 4711u) == 1 && std::ranges::count(items, 4712u) == 1;
  };
  EXPECT_EQ(reduction::minimal_subset(10000, holds), (reduction::Indices{4711, 4712}));
  EXPECT_LT(tests, 120u);
}

TEST(MinimalSubset, leaves_out_all_or_nothing) {
  EXPECT_TRUE(reduction::minimal_subset(9, [](const reduction::Indices&) { return true; }).empty());
  const auto all = reduction::minimal_subset(9, [](const reduction::Indices& items) { return items.size() == 9; });
  EXPECT_EQ(all.size(), 9u);
}

}  // namespace
}  // namespace sunmao
