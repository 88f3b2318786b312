// Every algebraic rule holds bit for bit: its samples are evaluated before and after rewriting, on NaN, infinities,
// both zeros, empty tensors, and symbolic sizes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "eval/element.h"
#include "eval/evaluator.h"
#include "ir/builder.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "passes/canonical/simplify.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/unit/effort.h"
#include "tests/unit/passes/algebra_samples.h"

namespace sunmao {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// Makes a program from steps separated by `;`; the last one is the result.
Module algebra_program(const AlgebraSample& sample, const std::string& shape, const std::string& dtype) {
  std::string text =
      "@I.ir_module\nclass M:\n    @R.function\n    def main(x: R.Tensor(SHAPE, \"DTYPE\"), y: R.Tensor(SHAPE, "
      "\"DTYPE\"), c: R.Tensor(SHAPE, \"bool\")):\n        n = T.int64()\n        with R.dataflow():\n";
  std::string steps = sample.steps;
  for (size_t at = 0; at != std::string::npos;) {
    const size_t end = steps.find("; ", at);
    const std::string step = steps.substr(at, end == std::string::npos ? end : end - at);
    text += "            " + (end == std::string::npos ? "result = " + step : step) + "\n";
    at = end == std::string::npos ? end : end + 2;
  }
  text += "            R.output(result)\n        return result\n";
  text = replaced(replaced(text, "SHAPE", shape), "DTYPE", dtype);
  return parse_module(Source::make("sample.py", text), builtin_ops());
}

// Fills an array such that x and y combine each special value with each other one.
Array values(DType dtype, const std::vector<int64_t>& shape, int64_t stride) {
  ArrayBuilder out(dtype, shape);
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> reals{-0.0, 0.0, 1.0, -1.5, nan, infinity, -infinity, 0.3, 1e-30, 300.0, 2.5, -6.5};
  const std::vector<int64_t> integers{0, 1, -1, 127, -128, 5, 255, 1000, -70000, 6};
  const int64_t count = out.count();
  for (int64_t i = 0; i < count; ++i) {
    const auto k = static_cast<size_t>(i * stride + i / 7);
    Number v;
    if (dtype.is_float())
      v.f = reals[k % reals.size()];
    else
      v.i = dtype.is_bool() ? static_cast<int64_t>(k % 3 == 0) : integers[k % integers.size()];
    store_element(dtype, out.data(), i, round_to(dtype, v));
  }
  return std::move(out).finish();
}

bool same_bits(const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  for (int64_t i = 0; i < a.count(); ++i) {
    const Number x = load_element(a, i), y = load_element(b, i);
    if (x.i == y.i) continue;
    if (!a.dtype().is_float() || !std::isnan(x.f) || !std::isnan(y.f)) return false;
  }
  return true;
}
bool same_bits(const Value& a, const Value& b) {
  if (a.array() && b.array()) return same_bits(*a.array(), *b.array());
  return a.tuple() && b.tuple() &&
         std::ranges::equal(*a.tuple(), *b.tuple(), [](const Value& x, const Value& y) { return same_bits(x, y); });
}

std::vector<Value> algebra_arguments(const Module& m, int64_t size) {
  std::vector<Value> out;
  for (const Ref<Var>& p : m.find_as<Function>("main")->params) {
    const auto* t = find<TensorType>(p->type);
    std::vector<int64_t> shape;
    for (const Scalar& d : *t->dims()) shape.push_back(find_int(d) ? *find_int(d) : size);
    out.emplace_back(values(t->dtype, shape, out.empty() ? 1 : 5));
  }
  return out;
}

const AlgebraicRule& rule_of(const std::string& name) {
  for (const AlgebraicRule& rule : algebraic_rules())
    if (rule.name == name) return rule;
  throw std::out_of_range("no rule " + name);
}

// Checks the rewrite; returns true when the rule applied.
bool check(const AlgebraSample& sample, const std::string& shape, const std::string& dtype) {
  SCOPED_TRACE(std::string(sample.rule) + " of " + sample.steps + " at " + shape + " of " + dtype);
  const Module before = algebra_program(sample, shape, dtype);
  const Module after = simplify(before, std::span(&rule_of(sample.rule), 1));
  for (const Diagnostic& d : verify(after, Stage::Normal)) ADD_FAILURE() << render(d) << print(after);
  const Module twice = simplify(after, std::span(&rule_of(sample.rule), 1));
  EXPECT_TRUE(twice.same_as(after)) << print(twice);
  for (int64_t size : {3, 0, 1}) {
    const std::vector<Value> args = algebra_arguments(before, size);
    const Value expected = Evaluator(before).call("main", args);
    EXPECT_TRUE(same_bits(expected, Evaluator(after).call("main", args))) << "n = " << size << "\n" << print(after);
    if (shape.find('n') == std::string::npos) break;
  }
  return !after.same_as(before);
}

TEST(Algebra, has_a_sample_for_every_rule) {
  std::set<std::string> sampled, names;
  for (const AlgebraSample& s : algebra_samples()) sampled.insert(s.rule);
  for (const AlgebraicRule& rule : algebraic_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name << " stands twice";
    EXPECT_TRUE(sampled.contains(rule.name)) << rule.name << " has no sample";
  }
}

TEST(Algebra, holds_bit_for_bit) {
  unsigned cases = 0;
  for (const AlgebraSample& sample : algebra_samples())
    for (const std::string& shape : sample.shapes)
      for (const std::string& dtype : sample.dtypes) {
        if (!is_chosen(cases++, 5)) continue;
        EXPECT_TRUE(check(sample, shape, dtype))
            << sample.rule << " does nothing to " << sample.steps << " at " << shape << " of " << dtype;
      }
}

TEST(Algebra, leaves_what_is_not_equal) {
  for (const AlgebraSample& sample : algebra_refusals())
    for (const std::string& shape : sample.shapes)
      for (const std::string& dtype : sample.dtypes)
        EXPECT_FALSE(check(sample, shape, dtype))
            << sample.rule << " changes " << sample.steps << " at " << shape << " of " << dtype;
}

TEST(Algebra, reaches_the_end_of_a_long_chain) {
  const int steps = is_in_part() ? 5'000 : 50'000;
  BlockBuilder b;
  b.begin_dataflow();
  Ref<Var> x = Var::make("x", TensorType::make({int_imm(4)}, DType::float_(32)));
  Expr e = x;
  for (int i = 0; i < steps; ++i) {
    e = b.emit(Call::make(builtin_ops().get("negative"), {e}));
    e = b.emit(Call::make(builtin_ops().get("multiply"), {e, PrimValue::make(FloatImm::make(DType::float_(32), 1))}));
  }
  e = b.emit_output(Call::make(builtin_ops().get("exp"), {e}));
  b.end_dataflow();
  const Module m = Module().with_function("main", b.finish_function({x}, e));
  const Ref<Function> after = simplify(m, algebraic_rules()).find_as<Function>("main");
  const auto& bindings = after->body->blocks[0]->bindings;
  EXPECT_EQ(find<Call>(bindings.back().value)->args[0], Expr(x));
  EXPECT_EQ(bindings.size(), static_cast<size_t>(steps / 2 + 1));  // dead bindings are left to another pass
}

}  // namespace
}  // namespace sunmao
