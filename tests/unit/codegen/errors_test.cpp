// Functions that cannot be compiled are rejected with an error code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "loop/temporaries.h"
#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

using ::testing::HasSubstr;

void expect_error(const std::string& code, const std::string& text, const std::function<void()>& work) {
  try {
    work();
    ADD_FAILURE() << "no " << code;
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, code);
    EXPECT_THAT(e.what(), HasSubstr(text));
    EXPECT_FALSE(e.diagnostics()[0].help.empty());
  }
}

Ref<PrimFunc> unary(DType dtype, const std::function<Scalar(const Scalar&)>& f) {
  KernelBuilder k("f");
  Ref<Buffer> a = k.input("a", tensor({4}, dtype)), out = k.output("out", tensor({4}, dtype));
  k.compute(out, "f", [&](const Indices& i) { return f(load(a, i)); });
  return std::move(k).finish();
}

void compile(const Ref<PrimFunc>& func, const Target& target = Target::host()) {
  const std::vector<Kernel> kernels{{"f", lower_kernel(func, target)}};
  compile_kernels(kernels, target);
}

TEST(CodegenErrors, unknown_element_type_is_E1002) {
  expect_error("E1002", "int24", [] { compile(unary(DType::int_(24), [](const Scalar& x) { return x + x; })); });
}

TEST(CodegenErrors, scalable_vectors_are_E1002) {
  Ref<Buffer> a = Buffer::make("a", DType::float_(32), {int_imm(64)});
  const Lanes lanes(4, true);
  const Stmt store = BufferStore::make(a, Broadcast::make(FloatImm::make(DType::float_(32), 1), lanes),
                                       {Ramp::make(int_imm(0), int_imm(1), lanes)});
  expect_error("E1002", "float32xvscalex4",
               [&] { compile(PrimFunc::make({{SymVar::make_handle("a", {}), a}}, store)); });
}

TEST(CodegenErrors, temporary_of_unknown_size_is_E1003) {
  const Ref<SymVar> m = SymVar::make("m");
  expect_error("E1003", "`t`", [&] {
    KernelBuilder k("f");
    Ref<Buffer> a = k.input("a", tensor({Scalar(m)})), out = k.output("out", tensor({Scalar(m)}));
    Ref<Buffer> t = k.alloc("t", DType::float_(32), {m});
    k.compute(t, "exp", [&](const Indices& i) { return intrinsic("exp", load(a, i)); });
    k.compute(out, "twice", [&](const Indices& i) { return load(t, i) + load(t, {int_imm(0)}); });
    compile(std::move(k).finish());
  });
}

// What the compiler uses is what a runtime accepts.
static_assert(kMaxScratchBytes == SUNMAO_MAX_SCRATCH);

TEST(CodegenErrors, too_large_temporary_is_E1003) {
  expect_error("E1003", "256 MiB", [&] {
    KernelBuilder k("f");
    Ref<Buffer> a = k.input("a", tensor({1 << 27})), out = k.output("out", tensor({1 << 27}));
    Ref<Buffer> t = k.alloc("t", DType::float_(32), {int_imm(1 << 27)});
    k.compute(t, "exp", [&](const Indices& i) { return intrinsic("exp", load(a, i)); });
    k.compute(out, "twice", [&](const Indices& i) { return load(t, i) + load(t, {int_imm(0)}); });
    compile(std::move(k).finish());
  });
}

TEST(CodegenErrors, unknown_intrinsic_is_E1004) {
  expect_error("E1004", "`lgamma`",
               [] { compile(unary(DType::float_(32), [](const Scalar& x) { return intrinsic("lgamma", x); })); });
}

TEST(CodegenErrors, code_that_needs_a_library_is_E1005) {
  expect_error("E1005", "__truncsfhf2", [] {
    compile(unary(DType::float_(16), [](const Scalar& x) { return x + x; }), Target::parse("x86-64-v2"));
  });
}

TEST(CodegenErrors, the_first_of_many_kernels_that_fails_is_named) {
  const Target target = Target::host();
  std::vector<Kernel> kernels;
  for (int i = 0; i < 40; ++i) {
    const bool fails = i == 17 || i == 18 || i == 30;
    const auto f = [&](const Scalar& x) { return fails ? intrinsic("lgamma", x) : x + x; };
    kernels.push_back({fmt::format("f{}", i), lower_kernel(unary(DType::float_(32), f), target)});
  }
  for (int i = 0; i < 5; ++i) expect_error("E1004", "`f17`", [&] { compile_kernels(kernels, target); });
}

TEST(Codegen, many_kernels_compile_to_the_same_image) {
  const Target target = Target::host();
  std::vector<Kernel> kernels;
  for (int i = 0; i < 40; ++i)
    kernels.push_back({fmt::format("f{}", i),
                       lower_kernel(unary(DType::float_(32),
                                          [&](const Scalar& x) { return x + FloatImm::make(DType::float_(32), i); }),
                                    target)});
  const CodeImage image = compile_kernels(kernels, target);
  EXPECT_EQ(image.names.size(), 40);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(compile_kernels(kernels, target).elf, image.elf);
}

TEST(CodegenErrors, compilation_stops_when_the_caller_says_so) {
  const Target target = Target::host();
  std::vector<Kernel> kernels;
  for (int i = 0; i < 40; ++i)
    kernels.push_back(
        {fmt::format("f{}", i), lower_kernel(unary(DType::float_(32), [](const Scalar& x) { return x * x; }), target)});
  const std::thread::id self = std::this_thread::get_id();
  bool is_own = true;
  const CodegenOptions options{.is_cancelled = [&] {
    is_own = is_own && std::this_thread::get_id() == self;
    return true;
  }};
  EXPECT_TRUE(compile_kernels(kernels, target, options).elf.empty());
  EXPECT_TRUE(is_own);
}

TEST(CodegenErrors, function_with_blocks_is_E1006) {
  expect_error("E1006", "`f` still has blocks", [] {
    const std::vector<Kernel> kernels{{"f", unary(DType::float_(32), [](const Scalar& x) { return x + x; })}};
    compile_kernels(kernels, Target::host());
  });
}

TEST(CodegenErrors, no_temporary_folder_is_E1007) {
  const char* set = std::getenv("TMPDIR");
  const std::string before = set ? set : "";
  setenv("TMPDIR", "/nowhere/at/all", 1);
  expect_error("E1007", "temporary files",
               [] { compile(unary(DType::float_(32), [](const Scalar& x) { return x + x; })); });
  if (set)
    setenv("TMPDIR", before.c_str(), 1);
  else
    unsetenv("TMPDIR");
}

TEST(TargetNames, are_read_in_all_spellings) {
  EXPECT_EQ(Target::parse("x86-64-v3"), Target::parse("llvm -mcpu=x86-64-v3"));
  EXPECT_EQ(Target::parse("x86-64-v3"), Target::parse(R"({"kind": "llvm", "mcpu": "x86-64-v3"})"));
  EXPECT_EQ(Target::parse("llvm"), Target::host());
  EXPECT_EQ(Target::parse("x86-64-v4").isa.vector_bits, 512);
  EXPECT_TRUE(Target::parse("llvm -mcpu=x86-64-v4 -mattr=+avx512vnni").isa.has_feature("avx512vnni"));
  EXPECT_FALSE(Target::parse("x86-64-v2").isa.has_feature("avx"));
}

TEST(TargetNames, unknown_is_E1001) {
  for (const char* text : {"", "x86-64-v9", "cuda", "llvm -mcpu=z80", "llvm -march",
                           "llvm -mcpu=x86-64-v3 -mattr=+nothing", "{", R"({"kind": "cuda"})"})
    expect_error("E1001", "target", [&] { Target::parse(text); });
}

}  // namespace
}  // namespace sunmao::testing
