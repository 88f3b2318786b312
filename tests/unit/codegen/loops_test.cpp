// Elementwise kernels, reductions and unscheduled loops, compared with plain loops.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "loop/calls.h"
#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

const DType kF32 = DType::float_(32);

Scalar zero() { return constant(kF32, 0); }

TEST(Elementwise, of_odd_sizes) {
  for (auto [m, n] : {std::array<int64_t, 2>{1, 1}, {3, 5}, {7, 33}, {16, 16}, {0, 4}, {300, 301}}) {
    KernelBuilder k("f");
    Ref<Buffer> a = k.input("a", tensor({m, n})), b = k.input("b", tensor({m, n})),
                out = k.output("out", tensor({m, n}));
    k.compute(out, "add_relu", [&](const Indices& i) { return max(load(a, i) + load(b, i), zero()); });
    const Program program(lower_kernel(std::move(k).finish(), Target::host()));
    std::vector<float> x = random_floats(m * n, 1), y = random_floats(m * n, 2), z(static_cast<size_t>(m * n + 16), -7);
    Host host(2);
    ASSERT_EQ(program({x.data(), y.data(), z.data()}, {}, &host), 0);
    for (size_t i = 0; i < static_cast<size_t>(m * n); ++i) ASSERT_EQ(z[i], std::max(0.0f, x[i] + y[i]));
    for (size_t i = static_cast<size_t>(m * n); i < z.size(); ++i) ASSERT_EQ(z[i], -7);
    EXPECT_EQ(host.parallel_loops, m * n > 65536 ? 1 : 0);
  }
}

// Masked-off lanes are neither read nor written.
TEST(Vectors, under_masks) {
  Ref<Buffer> a = Buffer::make("a", kF32, {int_imm(8)}), out = Buffer::make("out", kF32, {int_imm(8)});
  const Scalar at = Ramp::make(int_imm(0), int_imm(1), 8);
  const Scalar mask = Binary::make(BinaryOp::Lt, at, Broadcast::make(int_imm(3), 8));
  const Scalar even = Binary::make(BinaryOp::Lt, at, Broadcast::make(int_imm(2), 8));
  const Stmt store = BufferStore::make_masked(out, BufferLoad::make_masked(a, {at}, even), {at}, mask);
  const Program program(
      lower_kernel(PrimFunc::make({{SymVar::make_handle("a", {}), a}, {SymVar::make_handle("out", {}), out}}, store),
                   Target::host()));
  std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8}, y(8, -7);
  ASSERT_EQ(program({x.data(), y.data()}), 0);
  EXPECT_EQ(y, (std::vector<float>{1, 2, 0, -7, -7, -7, -7, -7}));
}

// Vectors of one length, and vectors and scalars of different ones.
TEST(Vectors, are_shuffled) {
  Ref<Buffer> a = Buffer::make("a", kF32, {int_imm(8)}), out = Buffer::make("out", kF32, {int_imm(8)});
  const auto part = [&](int64_t first, int lanes) {
    return BufferLoad::make(a, {Ramp::make(int_imm(first), int_imm(1), lanes)});
  };
  const auto program_of = [&](Shuffle parts) {
    const Stmt store = BufferStore::make(out, shuffle(std::move(parts)), {Ramp::make(int_imm(0), int_imm(1), 8)});
    return Program(
        lower_kernel(PrimFunc::make({{SymVar::make_handle("a", {}), a}, {SymVar::make_handle("out", {}), out}}, store),
                     Target::host()));
  };
  std::vector<float> x{0, 1, 2, 3, 4, 5, 6, 7}, y(8);
  const Program equal = program_of({.vectors = {part(4, 4), part(0, 4)}, .lanes = {7, 0, 6, 1, 5, 2, 4, 3}});
  ASSERT_EQ(equal({x.data(), y.data()}), 0);
  EXPECT_EQ(y, (std::vector<float>{3, 4, 2, 5, 1, 6, 0, 7}));
  const Program different = program_of(
      {.vectors = {BufferLoad::make(a, {int_imm(7)}), part(0, 4), part(4, 2)}, .lanes = {0, 6, 5, 4, 3, 2, 1, 0}});
  ASSERT_EQ(different({x.data(), y.data()}), 0);
  EXPECT_EQ(y, (std::vector<float>{7, 5, 4, 3, 2, 1, 0, 7}));
}

TEST(Elementwise, of_symbolic_shapes_with_broadcast) {
  const Ref<SymVar> m = SymVar::make("m"), n = SymVar::make("n");
  KernelBuilder k("f");
  Ref<Buffer> a = k.input("a", tensor({m, n})), b = k.input("b", tensor({Scalar(n)})),
              out = k.output("out", tensor({m, n}));
  Ref<Buffer> t = k.alloc("t", kF32, {m, n});
  k.compute(t, "add", [&](const Indices& i) { return load(a, i) + load(b, {i[1]}); });
  k.compute(out, "relu", [&](const Indices& i) { return max(load(t, i), zero()); });
  const Program program(lower_kernel(std::move(k).finish(), Target::host()));
  for (auto [rows, columns] : {std::array<int64_t, 2>{3, 5}, {0, 9}, {40, 33}, {2, 70000}}) {
    std::vector<float> x = random_floats(rows * columns, 1), y = random_floats(columns, 2), z(x.size());
    Host host(2);
    ASSERT_EQ(program({x.data(), y.data(), z.data()}, {rows, columns}, &host), 0);
    for (int64_t i = 0; i < rows * columns; ++i)
      ASSERT_EQ(z[static_cast<size_t>(i)],
                std::max(0.0f, x[static_cast<size_t>(i)] + y[static_cast<size_t>(i % columns)]));
  }
}

TEST(Elementwise, transpose_and_reshape) {
  KernelBuilder k("f");
  Ref<Buffer> a = k.input("a", tensor({6, 35})), t = k.output("t", tensor({35, 6})),
              r = k.output("r", tensor({14, 15}));
  k.compute(t, "transpose", [&](const Indices& i) { return load(a, {i[1], i[0]}); });
  k.compute(r, "reshape", [&](const Indices& i) {
    const Scalar at = i[0] * int_imm(15) + i[1];
    return load(a, {floor_div(at, int_imm(35)), floor_mod(at, int_imm(35))});
  });
  const Program program(lower_kernel(std::move(k).finish(), Target::host()));
  std::vector<float> x = random_floats(210, 1), y(210), z(210);
  ASSERT_EQ(program({x.data(), y.data(), z.data()}), 0);
  for (size_t i = 0; i < 35; ++i)
    for (size_t j = 0; j < 6; ++j) ASSERT_EQ(y[i * 6 + j], x[j * 35 + i]);
  EXPECT_EQ(z, x);
}

struct ReduceCase {
  int64_t m, n;
  bool over_rows;  // the leading axis is reduced
  BinaryOp op;
};

class Reduce : public ::testing::TestWithParam<ReduceCase> {};

TEST_P(Reduce, along_either_axis) {
  const ReduceCase c = GetParam();
  for (bool is_symbolic : {false, true}) {
    const Ref<SymVar> m = SymVar::make("m");
    const Scalar rows = is_symbolic ? Scalar(m) : int_imm(c.m), columns = int_imm(c.n);
    const bool is_sum = c.op == BinaryOp::Add;
    KernelBuilder k("f");
    Ref<Buffer> a = k.input("a", tensor({rows, columns}));
    Ref<Buffer> out = k.output("out", tensor(std::vector<Scalar>{c.over_rows ? columns : rows}));
    Ref<Buffer> r = k.alloc("r", kF32, {c.over_rows ? columns : rows});
    k.reduce(
        r, "reduce", {c.over_rows ? rows : columns},
        {constant(kF32, is_sum ? 1 : -10), [&](const Scalar& s, const Scalar& v) { return Binary::make(c.op, s, v); }},
        [&](const Indices& s, const Indices& d) {
          return c.over_rows ? load(a, {d[0], s[0]}) : load(a, {s[0], d[0]});
        });
    k.compute(out, "scale", [&](const Indices& i) { return load(r, i) * constant(kF32, 0.5); });
    const Program program(lower_kernel(std::move(k).finish(), Target::host()));
    std::vector<float> x = random_floats(c.m * c.n, 5);
    const int64_t results = c.over_rows ? c.n : c.m, depth = c.over_rows ? c.m : c.n;
    std::vector<float> out_values(static_cast<size_t>(results + 8), -7);
    std::vector<int64_t> dims;
    if (is_symbolic) dims.push_back(c.m);
    Host host(2);
    ASSERT_EQ(program({x.data(), out_values.data()}, dims, &host), 0);
    for (int64_t i = 0; i < results; ++i) {
      double want = is_sum ? 1 : -10;
      for (int64_t d = 0; d < depth; ++d) {
        const double v = double{x[static_cast<size_t>(c.over_rows ? d * c.n + i : i * c.n + d)]};
        want = is_sum ? want + v : std::max(want, v);
      }
      ASSERT_NEAR(double{out_values[static_cast<size_t>(i)]}, want * 0.5, 1e-4) << i;
    }
    for (size_t i = static_cast<size_t>(results); i < out_values.size(); ++i) ASSERT_EQ(out_values[i], -7);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Reduce,
    ::testing::Values(ReduceCase{5, 100, false, BinaryOp::Add}, ReduceCase{3, 7, false, BinaryOp::Max},
                      ReduceCase{33, 1, false, BinaryOp::Add}, ReduceCase{200, 512, false, BinaryOp::Max},
                      ReduceCase{5, 100, true, BinaryOp::Add}, ReduceCase{9, 7, true, BinaryOp::Max},
                      ReduceCase{64, 128, true, BinaryOp::Add}, ReduceCase{3, 0, false, BinaryOp::Add},
                      ReduceCase{0, 20, true, BinaryOp::Add}, ReduceCase{0, 20, false, BinaryOp::Max}));

TEST(Loops, what_no_schedule_knows_is_still_right) {
  // A running sum: each element depends on the previous one.
  KernelBuilder k("f");
  Ref<Buffer> a = k.input("a", tensor({10})), out = k.output("out", tensor({10}));
  Ref<PrimFunc> shell = std::move(k).finish();
  Ref<SymVar> i = SymVar::make("i");
  const Scalar before = load(out, {i - int_imm(1)});
  Stmt body = IfThenElse::make(Binary::make(BinaryOp::Eq, i, int_imm(0)), BufferStore::make(out, load(a, {i}), {i}),
                               BufferStore::make(out, before + load(a, {i}), {i}));
  const Program program(lower_kernel(shell->with_body(For::make(i, int_imm(10), body)), Target::host()));
  std::vector<float> x(10, 1.5f), y(10);
  ASSERT_EQ(program({x.data(), y.data()}), 0);
  for (size_t n = 0; n < 10; ++n) EXPECT_EQ(y[n], 1.5f * static_cast<float>(n + 1));
}

TEST(Loops, assertions_fail_the_call_with_their_text) {
  const Ref<SymVar> m = SymVar::make("m");
  KernelBuilder k("f");
  Ref<Buffer> a = k.input("a", tensor({Scalar(m)}));
  Ref<PrimFunc> shell = std::move(k).finish();
  const Program program(lower_kernel(
      shell->with_body(Seq::make({Assert::make(Binary::make(BinaryOp::Lt, m, int_imm(5)), "m is too large"),
                                  BufferStore::make(a, zero(), {int_imm(0)})})),
      Target::host()));
  std::vector<float> x(8, 3);
  Host host;
  EXPECT_EQ(program({x.data()}, {8}, &host), 7);
  EXPECT_EQ(host.message, "m is too large");
  EXPECT_EQ(x[0], 3);
  EXPECT_EQ(program({x.data()}, {4}, &host), 0);
  EXPECT_EQ(x[0], 0);
}

TEST(Loops, a_failure_in_a_parallel_loop_is_the_result_of_the_call) {
  const Ref<SymVar> m = SymVar::make("m");
  KernelBuilder k("f");
  Ref<Buffer> a = k.input("a", tensor({Scalar(m)}));
  Ref<PrimFunc> shell = std::move(k).finish();
  Ref<SymVar> i = SymVar::make("i");
  Stmt body = Seq::make({Assert::make(Binary::make(BinaryOp::Lt, load(a, {i}), constant(kF32, 5)), "too large"),
                         BufferStore::make(a, zero(), {i})});
  const Program program(lower_kernel(shell->with_body(For::make(i, m, body, ForKind::Parallel)), Target::host()));
  for (uint32_t threads : {1u, 3u}) {
    std::vector<float> x(100, 1);
    Host host(threads);
    EXPECT_EQ(program({x.data()}, {100}, &host), 0);
    EXPECT_EQ(x, std::vector<float>(100, 0));
    x[50] = 9;
    EXPECT_EQ(program({x.data()}, {100}, &host), 7);
    EXPECT_EQ(host.message, "too large");
  }
}

}  // namespace
}  // namespace sunmao::testing
