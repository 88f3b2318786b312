// What LLVM is given: each operation once in a block, constants of indices apart, loops that it must not copy.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "codegen/kernels.h"
#include "loop/builder.h"
#include "passes/loop/loop_writing.h"
#include "target/target.h"

namespace sunmao::testing {
namespace {

size_t times_in(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// A kernel of two buffers of 128 elements, `a` that is read and `out`.
struct Buffers {
  Ref<Buffer> a = Buffer::make("a", DType::float_(32), {int_imm(128)}),
              out = Buffer::make("out", DType::float_(32), {int_imm(128)});
  Kernel kernel(std::string name, const Stmt& body) const {
    return {std::move(name),
            PrimFunc::make({{SymVar::make_handle("a", {}), a}, {SymVar::make_handle("out", {}), out}}, body)};
  }
};

/// out[8 * i + 1] = a[8 * i + 1] + a[8 * i - 1], for `rows` of i.
Stmt neighbours(const Buffers& b, int64_t rows) {
  return serial_loop("i", int_imm(rows), [&](const Scalar& i) {
    const Scalar start = i * int_imm(8);
    return BufferStore::make(b.out, load(b.a, {start + int_imm(1)}) + load(b.a, {i * int_imm(8) - int_imm(1)}),
                             {i * int_imm(8) + int_imm(1)});
  });
}

TEST(Emission, neighbouring_elements_share_their_address) {
  const Buffers b;
  const std::vector<Kernel> kernels{b.kernel("f", neighbours(b, 16))};
  const std::string ir = kernel_llvm_ir(kernels, Target::host());
  EXPECT_EQ(times_in(ir, "= mul "), 1) << ir;
  EXPECT_EQ(times_in(ir, "i64 -1\n"), 1) << ir;
}

// The module is verified: what a branch computes is not there behind it.
TEST(Emission, branches_share_nothing_with_what_follows) {
  const Buffers b;
  const Stmt body = serial_loop("i", int_imm(16), [&](const Scalar& i) {
    const auto store = [&](double value) {
      return BufferStore::make(b.out, constant(DType::float_(32), value), {i * int_imm(8)});
    };
    return Seq::make({IfThenElse::make(Binary::make(BinaryOp::Lt, i, int_imm(4)), store(1)), store(2)});
  });
  const std::vector<Kernel> kernels{b.kernel("f", body)};
  EXPECT_EQ(times_in(kernel_llvm_ir(kernels, Target::host()), "= mul "), 2);
}

// Returns the code of y[8 * i, ...] = value(i) for all vectors of eight, with the loads of a value in `x`.
std::string code_of_vectors(
    const std::function<Scalar(const Ref<Buffer>& x, const Scalar& first, const Scalar& n)>& value) {
  const DType real = DType::float_(32);
  const Ref<SymVar> n = SymVar::make("n", DType::int_(64)), i = SymVar::make("i", DType::int_(64));
  const Ref<Buffer> x = Buffer::make("x", real, {n}), y = Buffer::make("y", real, {n});
  const Scalar first = i * int_imm(8);
  const Stmt store = BufferStore::make(y, value(x, first, n), {Ramp::make(first, int_imm(1), 8)});
  std::vector<PrimParam> params;
  for (const Ref<Buffer>& p : {x, y}) params.push_back({SymVar::make_handle(p->name, {}), p});
  const std::vector<Kernel> kernels{
      {"f", PrimFunc::make(std::move(params), For::make(i, floor_div(n, int_imm(16)), store, ForKind::Serial))}};
  return kernel_assembly(kernels, Target::parse("x86-64-v3"));
}

Scalar loaded_below(const Ref<Buffer>& x, const Scalar& places, const Scalar& end) {
  const Scalar zero = Broadcast::make(constant(x->dtype, 0), 8), is_there = Binary::make(BinaryOp::Lt, places, end);
  return ScalarCall::make("if_then_else", zero->dtype, {is_there, load(x, {places}), zero});
}

TEST(Emission, masks_of_columns_are_as_narrow_as_elements) {
  const std::string code = code_of_vectors([](const Ref<Buffer>& x, const Scalar& first, const Scalar& n) {
    return loaded_below(x, Ramp::make(first, int_imm(1), 8), Broadcast::make(n - int_imm(3), 8));
  });
  EXPECT_EQ(times_in(code, "vpcmpgtq"), 0) << code;
  EXPECT_GT(times_in(code, "vmaskmovps"), 0) << code;
}

TEST(Emission, distances_beyond_int64_are_compared_in_full) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  const std::string code = code_of_vectors([](const Ref<Buffer>& x, const Scalar& first, const Scalar&) {
    return loaded_below(x, Ramp::make(first, int_imm(1), 8), Broadcast::make(int_imm(kLeast + 1), 8));
  });
  EXPECT_FALSE(code.empty());
}

TEST(Emission, every_second_element_takes_whole_vectors) {
  const std::string code = code_of_vectors([](const Ref<Buffer>& x, const Scalar& first, const Scalar&) {
    return load(x, {Ramp::make(first * int_imm(2), int_imm(2), 8)});
  });
  EXPECT_EQ(times_in(code, "vmaskmov") + times_in(code, "vgather"), 0) << code;
}

TEST(Emission, constant_masks_stay_constant) {
  const std::string code = code_of_vectors([](const Ref<Buffer>& x, const Scalar&, const Scalar&) {
    return loaded_below(x, Ramp::make(int_imm(0), int_imm(2), 8), Broadcast::make(int_imm(9), 8));
  });
  EXPECT_EQ(times_in(code, "vpcmpgt") + times_in(code, "vgather"), 0) << code;
}

// LLVM takes comparisons, extremes, roundings and conversions to integers of float16 apart into lanes.
TEST(Emission, vectors_of_float16_stay_whole) {
  constexpr int kLanes = 8;
  const DType half = DType::float_(16), word = DType::int_(32);
  const Ref<Buffer> a = Buffer::make("a", half, {int_imm(kLanes)}), b = Buffer::make("b", half, {int_imm(kLanes)});
  const Ref<Buffer> out = Buffer::make("out", half, {int_imm(kLanes)}),
                    numbers = Buffer::make("numbers", word, {int_imm(kLanes)});
  const Scalar all = Ramp::make(int_imm(0), int_imm(1), kLanes), x = load(a, {all}), y = load(b, {all});
  const Scalar wide = Cast::make(DType::float_(32).with_lanes(kLanes), x);
  const Scalar zero = Broadcast::make(constant(DType::float_(32), 0), kLanes);
  const auto unary = [&](const char* name) { return ScalarCall::make(name, x->dtype, {x}); };
  const std::vector<Scalar> values{
      Binary::make(BinaryOp::Max, x, y),
      Binary::make(BinaryOp::Max, x, Broadcast::make(constant(half, 0), kLanes)),
      Select::make(Binary::make(BinaryOp::Lt, x, y), x, y),
      Select::make(Binary::make(BinaryOp::Ne, x, x), y, x),
      Cast::make(x->dtype, Select::make(Binary::make(BinaryOp::Gt, wide, zero), wide, zero)),
      unary("floor"),
      unary("round"),
      Cast::make(word.with_lanes(kLanes), x)};
  for (const Scalar& value : values) {
    const Ref<Buffer>& to = value->dtype.is_float() ? out : numbers;
    std::vector<PrimParam> params;
    for (const Ref<Buffer>& p : {a, b, to}) params.push_back({SymVar::make_handle(p->name, {}), p});
    const std::vector<Kernel> kernels{{"f", PrimFunc::make(std::move(params), BufferStore::make(to, value, {all}))}};
    const std::string code = kernel_assembly(kernels, Target::parse("x86-64-v3"));
    EXPECT_LE(times_in(code, "vcvtph2ps"), 2) << code;
    EXPECT_EQ(times_in(code, "vpextrw"), 0) << code;
  }
}

TEST(Emission, loops_that_contain_loops_are_not_unrolled) {
  const Buffers b;
  const auto nest = [&](int depth) {
    Stmt body = neighbours(b, 16);
    for (int i = 1; i < depth; ++i) body = serial_loop("outer", int_imm(3), [&](const Scalar&) { return body; });
    const std::vector<Kernel> kernels{b.kernel("f", body)};
    return kernel_llvm_ir(kernels, Target::host());
  };
  EXPECT_EQ(times_in(nest(1), "!llvm.loop !"), 0);
  EXPECT_EQ(times_in(nest(3), "!llvm.loop !"), 2);
  EXPECT_EQ(times_in(nest(3), "llvm.loop.unroll.disable"), 1);  // one rule, which both loops name
}

// Threads take parts of the kernels as they get to them.
TEST(Emission, images_of_several_parts_are_equal) {
  const Buffers b;
  std::vector<Kernel> kernels;
  for (int64_t i = 0; i < 19; ++i) kernels.push_back(b.kernel("f" + std::to_string(i), neighbours(b, 1 + i % 15)));
  const CodeImage image = compile_kernels(kernels, Target::host());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(compile_kernels(kernels, Target::host()).elf, image.elf);
}

}  // namespace
}  // namespace sunmao::testing
