// The tuner, with times that are made up, and its database.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/tuning/tuner.h"
#include "ops/ops.h"
#include "passes/schedule/schedule.h"
#include "script/parse.h"
#include "support/diagnostic.h"
#include "tests/unit/error_code.h"

namespace sunmao {
namespace {

using Plans = std::vector<std::string>;

constexpr const char* kProduct = R"(
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(40), T.int64(30)), "float32"), B: T.Buffer((T.int64(30), T.int64(64)), "float32"), out: T.Buffer((T.int64(40), T.int64(64)), "float32")):
        for i, j, k in T.grid(T.int64(40), T.int64(64), T.int64(30)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    out[vi, vj] = T.float32(0)
                out[vi, vj] = out[vi, vj] + A[vi, vk] * B[vk, vj]
)";

TunableKernel product() {
  const Module module = parse_module(Source::make("product", kProduct), builtin_ops());
  const Ref<PrimFunc> kernel = module.find_as<PrimFunc>("product");
  return {kernel_digest(*kernel), kernel, {"product"}};
}

const Target kTarget = Target::parse("x86-64-v3");

/// A machine on which the time of the only kernel depends on its plan, and that of the model beside it may too.
class FakeMachine {
 public:
  explicit FakeMachine(const TunableKernel& kernel) : kernel_(kernel), first_(find_plans(kernel.form, kTarget)[0][0]) {}

  std::map<std::string, double> ratios;  // of plans to the first one
  double others = 0;                     // what a tuned model takes longer beside the kernel
  double noise = 0;
  double now = 0;  // seconds
  size_t runs = 0, models = 0;
  size_t cancelled_at = SIZE_MAX;  // runs

  std::unique_ptr<TimedModel> model(const TunedPlans& plans) {
    ++models;
    const auto tuned = plans.find(kernel_.digest);
    return std::make_unique<Model>(*this, tuned == plans.end() ? first_ : tuned->second.at(kTarget.text()).at(0));
  }

  TuneReport tune(TuningDatabase& database, TuneOptions options = {.target = kTarget, .machine = "fake", .now = {}}) {
    options.now = [this] { return now; };
    options.is_cancelled = [this] { return runs >= cancelled_at; };
    const std::vector<TunableKernel> kernels{kernel_};
    return tune_kernels(kernels, [this](const TunedPlans& plans) { return model(plans); }, database, options);
  }

 private:
  class Model final : public TimedModel {
   public:
    Model(FakeMachine& machine, std::string plan) : machine_(machine), plan_(std::move(plan)) {}
    double run() override { return kernel_seconds() + (plan_ == machine_.first_ ? 0 : machine_.others); }
    ModelProfile run_profiled() override {
      KernelTime time{.name = "product", .calls = 1, .seconds = kernel_seconds(), .places = {}};
      time.places.push_back({.function = "main", .node = "MatMul_1", .module = {}, .line = {}});
      return {.runs = 1, .seconds = time.seconds, .kernels = {time}};
    }

   private:
    double kernel_seconds() {
      const auto ratio = machine_.ratios.find(plan_);
      ++machine_.runs;
      const double wave = std::uniform_real_distribution<double>(-machine_.noise, machine_.noise)(machine_.draw_);
      const double seconds = (ratio == machine_.ratios.end() ? 1 : ratio->second) * (1 + wave);
      machine_.now += seconds;
      return seconds;
    }
    FakeMachine& machine_;
    const std::string plan_;
  };

  const TunableKernel kernel_;
  const std::string first_;
  std::minstd_rand draw_{1};
};

TEST(RatioInterval, lies_between_order_statistics) {
  EXPECT_FALSE(ratio_interval({1, 1, 1, 1, 1}));
  const auto six = ratio_interval({0.6, 0.5, 0.4, 0.9, 0.8, 0.7});
  ASSERT_TRUE(six);
  EXPECT_EQ(six->low, 0.4);
  EXPECT_EQ(six->high, 0.9);
  EXPECT_DOUBLE_EQ(six->median, 0.65);
  std::vector<double> many;
  for (int i = 1; i <= 100; ++i) many.push_back(i);
  const auto hundred = ratio_interval(many);
  EXPECT_EQ(hundred->low, 40);
  EXPECT_EQ(hundred->high, 61);
}

TEST(Tuner, takes_the_fastest_plan_whose_whole_interval_is_below_one) {
  const TunableKernel kernel = product();
  const Plans plans = find_plans(kernel.form, kTarget)[0];
  FakeMachine machine(kernel);
  machine.ratios = {{plans[1], 0.9}, {plans[2], 0.8}, {plans[3], 1.3}};
  TuningDatabase database;
  const TuneReport report = machine.tune(database);
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].plans, Plans{plans[2]});
  EXPECT_EQ(report.kernels[0].first, Plans{plans[0]});
  EXPECT_EQ(report.kernels[0].origin, "MatMul_1");
  EXPECT_EQ(report.kernels[0].measured, plans.size() - 1);
  EXPECT_TRUE(report.is_complete);
  EXPECT_TRUE(report.is_used());
  EXPECT_EQ(database.plans().at(kernel.digest).at(kTarget.text()), Plans{plans[2]});
}

// Two measurements in a row may be wrong: in one of some hundred cases.
TEST(Tuner, takes_no_plan_that_may_be_noise) {
  const TunableKernel kernel = product();
  const Plans plans = find_plans(kernel.form, kTarget)[0];
  FakeMachine machine(kernel);
  machine.noise = 0.2;
  for (int time = 0; time < 10; ++time) {
    TuningDatabase database;
    const TuneReport report = machine.tune(database, {.target = kTarget, .machine = "fake", .seconds = 1e6, .now = {}});
    EXPECT_EQ(report.kernels[0].plans, Plans{plans[0]});
    EXPECT_FALSE(report.model);
    EXPECT_TRUE(database.plans().empty());
    EXPECT_EQ(database.entries().size(), 1u);
  }
}

TEST(Tuner, takes_a_faster_plan_in_spite_of_noise) {
  const TunableKernel kernel = product();
  const Plans plans = find_plans(kernel.form, kTarget)[0];
  FakeMachine machine(kernel);
  machine.noise = 0.1;
  machine.ratios = {{plans[2], 0.7}};
  for (int time = 0; time < 10; ++time) {
    TuningDatabase database;
    const TuneReport report = machine.tune(database, {.target = kTarget, .machine = "fake", .seconds = 1e6, .now = {}});
    EXPECT_EQ(report.kernels[0].plans, Plans{plans[2]});
    EXPECT_TRUE(report.is_used());
  }
}

TEST(Tuner, does_not_use_plans_that_make_the_model_slower) {
  const TunableKernel kernel = product();
  const Plans plans = find_plans(kernel.form, kTarget)[0];
  FakeMachine machine(kernel);
  machine.ratios = {{plans[1], 0.9}};
  machine.others = 0.5;
  TuningDatabase database;
  const TuneReport report = machine.tune(database);
  ASSERT_TRUE(report.model);
  EXPECT_GT(report.model->low, 1);
  EXPECT_FALSE(report.is_used());
  EXPECT_EQ(database.entries()[0].plans, Plans{plans[1]});
  EXPECT_FALSE(database.entries()[0].is_used);
  EXPECT_TRUE(database.plans().empty());
}

TEST(Tuner, measures_nothing_that_the_database_has) {
  const TunableKernel kernel = product();
  const Plans plans = find_plans(kernel.form, kTarget)[0];
  FakeMachine machine(kernel);
  machine.ratios = {{plans[1], 0.9}};
  TuningDatabase database;
  machine.tune(database);
  database = TuningDatabase::parse(database.text(), "file");
  const size_t models = machine.models;
  const TuneReport again = machine.tune(database);
  EXPECT_EQ(machine.models, models + 1);
  EXPECT_TRUE(again.kernels[0].is_known);
  EXPECT_EQ(again.kernels[0].plans, Plans{plans[1]});
  EXPECT_TRUE(again.is_used());
  machine.tune(database, {.target = kTarget, .machine = "fake", .again = true, .now = {}});
  EXPECT_GT(machine.models, models + 5);
  const size_t after = machine.models;
  machine.tune(database, {.target = kTarget, .machine = "another", .now = {}});
  EXPECT_GT(machine.models, after + 5);
}

TEST(Tuner, goes_on_where_an_earlier_one_ended) {
  const TunableKernel kernel = product();
  const Plans plans = find_plans(kernel.form, kTarget)[0];
  FakeMachine machine(kernel);
  machine.ratios = {{plans.back(), 0.9}};
  TuningDatabase database;
  size_t saved = 0;
  machine.cancelled_at = 60;
  const auto count = [&](const TuningDatabase& now) { saved = now.entries()[0].times.size(); };
  EXPECT_THROW(machine.tune(database, {.target = kTarget, .machine = "fake", .now = {}, .on_measured = count}),
               Cancelled);
  EXPECT_GT(saved, 0u);
  EXPECT_LT(saved, plans.size() - 1);
  machine.cancelled_at = SIZE_MAX;
  const TuneReport report = machine.tune(database);
  EXPECT_EQ(report.kernels[0].measured, plans.size() - 1);
  EXPECT_EQ(report.kernels[0].plans, Plans{plans.back()});
}

TEST(Tuner, keeps_what_it_measures_again_until_all_is_there) {
  const TunableKernel kernel = product();
  const Plans plans = find_plans(kernel.form, kTarget)[0];
  FakeMachine machine(kernel);
  machine.ratios = {{plans.back(), 0.9}};
  TuningDatabase database;
  machine.tune(database);
  machine.cancelled_at = machine.runs + 60;
  EXPECT_THROW(machine.tune(database, {.target = kTarget, .machine = "fake", .again = true, .now = {}}), Cancelled);
  EXPECT_EQ(database.entries()[0].times.size(), plans.size() - 1);
  EXPECT_EQ(database.plans().at(kernel.digest).at(kTarget.text()), Plans{plans.back()});
}

TEST(Tuner, ends_with_its_time) {
  const TunableKernel kernel = product();
  FakeMachine machine(kernel);
  TuningDatabase database;
  const TuneReport report = machine.tune(database, {.target = kTarget, .machine = "fake", .seconds = 40, .now = {}});
  EXPECT_FALSE(report.is_complete);
  EXPECT_LT(report.kernels[0].measured, find_plans(kernel.form, kTarget)[0].size() - 1);
}

TEST(Tuner, measures_as_many_plans_as_it_is_told) {
  const TunableKernel kernel = product();
  FakeMachine machine(kernel);
  TuningDatabase database;
  EXPECT_EQ(
      machine.tune(database, {.target = kTarget, .machine = "fake", .most_plans = 2, .now = {}}).kernels[0].measured,
      2u);
  EXPECT_EQ(machine.tune(database, {.target = kTarget, .machine = "fake", .most_plans_of_kernel = 3, .now = {}})
                .kernels[0]
                .measured,
            3u);
}

TuningEntry entry(const std::string& kernel, const std::string& machine, const std::string& plan) {
  return {.kernel = kernel,
          .target = "x86-64-v3",
          .machine = machine,
          .name = "k",
          .first = {"tile 6x2"},
          .plans = {plan},
          .times = {}};
}

TEST(TuningDatabase, is_read_as_it_is_written) {
  TuningDatabase database;
  TuningEntry one = entry("a", "m", "tile 4x3");
  one.seconds = 0.001;
  one.times = {{.plans = {"tile 4x3"}, .seconds = 0.0009, .ratio = {0.85, 0.9, 0.95}, .rounds = 8}};
  one.model = RatioInterval{0.9, 0.95, 0.99};
  database.add(one);
  const TuningDatabase again = TuningDatabase::parse(database.text(), "file");
  EXPECT_EQ(again.text(), database.text());
  ASSERT_TRUE(again.find("a", "x86-64-v3", "m"));
  EXPECT_EQ(again.find("a", "x86-64-v3", "m")->times[0].ratio.median, 0.9);
  EXPECT_FALSE(again.find("a", "x86-64-v3", "n"));
}

TEST(TuningDatabase, of_joined_files_the_last_line_counts) {
  TuningDatabase one, other;
  one.add(entry("a", "m", "tile 4x3"));
  one.add(entry("b", "m", "tile 3x4"));
  other.add(entry("a", "n", "tile 2x4"));
  other.add(entry("b", "m", "tile 6x2"));  // the first plan is as fast
  const TunedPlans plans = TuningDatabase::parse(one.text() + other.text(), "file").plans();
  EXPECT_EQ(plans.at("a").at("x86-64-v3"), Plans{"tile 2x4"});
  EXPECT_FALSE(plans.contains("b"));
  const TunedPlans turned = TuningDatabase::parse(other.text() + one.text(), "file").plans();
  EXPECT_EQ(turned.at("a").at("x86-64-v3"), Plans{"tile 4x3"});
  EXPECT_EQ(turned.at("b").at("x86-64-v3"), Plans{"tile 3x4"});
}

TEST(TuningDatabase, leaves_out_a_line_that_was_being_written) {
  TuningDatabase database;
  database.add(entry("a", "m", "tile 4x3"));
  database.add(entry("b", "m", "tile 4x3"));
  const std::string text = database.text();
  const size_t line = text.find('\n') + 1;
  for (size_t end = line; end < text.size() - 1; ++end)
    EXPECT_EQ(TuningDatabase::parse(text.substr(0, end), "file").entries().size(), end == text.size() - 1 ? 2u : 1u);
  EXPECT_EQ(TuningDatabase::parse(text.substr(0, text.size() - 1), "file").entries().size(), 2u);
  EXPECT_TRUE(TuningDatabase::parse("", "file").entries().empty());
}

TEST(TuningDatabase, names_the_line_that_is_no_entry) {
  TuningDatabase database;
  database.add(entry("a", "m", "tile 4x3"));
  const std::string good = database.text();
  for (const std::string& bad : {std::string("words\n"), std::string("words"), std::string("[]\n"), std::string("{}\n"),
                                 std::string("{\"kernel\": 3}\n"), good.substr(0, 20) + "\n" + good,
                                 good.substr(0, good.size() - 2) + ",\"model\":[1]}\n"}) {
    EXPECT_EQ(code_of([&] { (void)TuningDatabase::parse(good + bad, "file"); }), "E0548") << bad;
    try {
      (void)TuningDatabase::parse(good + bad, "file");
    } catch (const UserError& e) {
      EXPECT_NE(std::string(e.what()).find("`file`, line 2"), std::string::npos) << e.what();
    }
  }
}

TEST(Tuning, digests_depend_on_loops_and_not_on_names) {
  std::string other = kProduct;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"product", "kernel"}, {"A:", "X:"}, {"A[", "X["}})
    for (size_t at = other.find(from); at != std::string::npos; at = other.find(from, at + to.size()))
      other.replace(at, from.size(), to);
  const Module renamed = parse_module(Source::make("renamed", other), builtin_ops());
  EXPECT_EQ(kernel_digest(*renamed.find_as<PrimFunc>("kernel")), product().digest);
  std::string longer = kProduct;
  for (size_t at = longer.find("30"); at != std::string::npos; at = longer.find("30", at)) longer.replace(at, 2, "31");
  const Module changed = parse_module(Source::make("changed", longer), builtin_ops());
  EXPECT_NE(kernel_digest(*changed.find_as<PrimFunc>("product")), product().digest);
}

TEST(Tuning, stands_on_a_module) {
  const Module module = parse_module(Source::make("product", kProduct), builtin_ops());
  const TunedPlans tuning{{"a", {{"x86-64-v3", {"tile 4x3"}}}}, {"b", {{"x86-64-v4", {"tile 1x1", "lines"}}}}};
  const Module tuned = with_tuning(module, tuning);
  EXPECT_EQ(tuning_of(tuned), tuning);
  EXPECT_TRUE(with_tuning(module, {}).same_as(module));
  const TunedPlans more{{"a", {{"x86-64-v3", {"tile 6x2"}}, {"x86-64-v4", {"tile 7x2"}}}}};
  EXPECT_EQ(tuning_of(with_tuning(tuned, more)).at("a"), more.at("a"));
  EXPECT_EQ(tuning_of(with_tuning(tuned, more)).at("b"), tuning.at("b"));
  const Module bad = module.with_attrs(module.attrs().with(kTuningAttr, AttrMap{{"a", "tile 4x3"}}));
  EXPECT_EQ(code_of([&] { (void)tuning_of(bad); }), "E0548");
}

}  // namespace
}  // namespace sunmao
