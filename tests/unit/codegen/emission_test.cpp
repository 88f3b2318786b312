// What LLVM is given: each operation once in a block, constants of indices apart, loops that it must not copy.
#include <gtest/gtest.h>

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
