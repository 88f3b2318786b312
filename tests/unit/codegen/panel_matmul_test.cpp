// Matrix products on weights in panels compared with plain loops, and the machine code of the register tile.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include "tests/unit/codegen/matmul_kernel.h"
#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

struct Data {
  int64_t m, n, k;
  std::vector<float> x, raw, w, bias, residual, out;

  Data(int64_t rows, int64_t columns, int64_t depth) : m(rows), n(columns), k(depth) {
    x = random_floats(m * k, 1);
    raw = random_floats(k * n, 2);
    bias = random_floats(n, 3);
    residual = random_floats(m * n, 4);
    w.resize(raw.size());
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const int64_t first = j / kPanel * kPanel, width = std::min(kPanel, n - first);
        w[static_cast<size_t>(first * k + i * width + j % kPanel)] = raw[static_cast<size_t>(i * n + j)];
      }
    constexpr int64_t kGuard = 64;  // floats after the output that must stay unchanged
    out.assign(static_cast<size_t>(m * n + kGuard), -77.0f);
  }
  double expected(int64_t i, int64_t j, bool epilogue) const {
    double sum = 0;
    for (int64_t p = 0; p < k; ++p)
      sum += double{x[static_cast<size_t>(i * k + p)]} * double{raw[static_cast<size_t>(p * n + j)]};
    if (!epilogue) return sum;
    return std::max(0.0, sum + double{bias[static_cast<size_t>(j)]} + double{residual[static_cast<size_t>(i * n + j)]});
  }
  void check(bool epilogue) const {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_NEAR(double{out[static_cast<size_t>(i * n + j)]}, expected(i, j, epilogue),
                    1e-4 * std::sqrt(static_cast<double>(k) + 1))
            << "m=" << m << " n=" << n << " k=" << k << " at " << i << "," << j;
    for (size_t g = static_cast<size_t>(m * n); g < out.size(); ++g)
      ASSERT_EQ(out[g], -77.0f) << "written behind the output";
  }
};

void run_and_check(const Program& program, Data data, bool epilogue, bool is_symbolic, Host* host = nullptr) {
  std::vector<void*> buffers{data.x.data(), data.w.data()};
  if (epilogue) buffers.insert(buffers.end(), {data.bias.data(), data.residual.data()});
  buffers.push_back(data.out.data());
  std::vector<int64_t> dims;
  if (is_symbolic) dims.push_back(data.m);
  ASSERT_EQ(program(buffers, dims, host), 0);
  data.check(epilogue);
}

class PanelMatmul : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    target_ = Target::parse(GetParam());
    if (!target_.isa.runs_here()) GTEST_SKIP() << "not run: this machine lacks features of " << GetParam();
  }
  Program compile(const MatmulCase& c) const { return Program(lower_kernel(panel_matmul(c), target_), target_); }
  Target target_;
};

TEST_P(PanelMatmul, of_known_shapes) {
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{1, 64, 33}, {7, 40, 16}, {12, 64, 64}, {13, 31, 17}, {64, 96, 50}, {25, 1, 1}}) {
    for (bool epilogue : {false, true}) {
      const Program program = compile({.m = int_imm(m), .n = n, .k = k, .has_epilogue = epilogue});
      run_and_check(program, Data(m, n, k), epilogue, false);
    }
  }
}

TEST_P(PanelMatmul, of_any_number_of_rows) {
  for (auto [n, k] : {std::pair<int64_t, int64_t>{50, 37}, {64, 8}, {300, 1}}) {
    const Program program = compile({.m = SymVar::make("m"), .n = n, .k = k});
    for (int64_t m : {0, 1, 2, 3, 5, 7, 8, 11, 12, 13, 23, 64, 200}) run_and_check(program, Data(m, n, k), true, true);
  }
}

TEST_P(PanelMatmul, of_a_depth_known_at_run_time) {
  const Program program = compile({.m = SymVar::make("m"), .n = 50, .k = 0, .depth = SymVar::make("k")});
  for (int64_t k : {0, 1, 6, 33})
    for (int64_t m : {1, 3, 14}) {
      Data data(m, 50, k);
      std::vector<void*> buffers{data.x.data(), data.w.data(), data.bias.data(), data.residual.data(), data.out.data()};
      ASSERT_EQ(program(buffers, {m, k}), 0);
      data.check(true);
    }
}

TEST_P(PanelMatmul, of_long_rows_in_parts) {
  for (auto [n, k] : {std::pair<int64_t, int64_t>{70, 1000}, {64, 1280}}) {
    const Program program = compile({.m = SymVar::make("m"), .n = n, .k = k});
    for (int64_t m : {1, 5, 12, 30, 205}) run_and_check(program, Data(m, n, k), true, true);
  }
}

TEST_P(PanelMatmul, on_threads) {
  const Program program = compile({.m = SymVar::make("m"), .n = 600, .k = 700});
  for (int64_t m : {1, 6, 130}) {
    Host host(3);
    run_and_check(program, Data(m, 600, 700), true, true, &host);
    EXPECT_EQ(host.parallel_loops, 1) << "m = " << m;
  }
}

TEST_P(PanelMatmul, of_little_work_wakes_no_thread) {
  const Program program = compile({.m = SymVar::make("m"), .n = 64, .k = 32});
  Host host(3);
  run_and_check(program, Data(16, 64, 32), true, true, &host);
  EXPECT_EQ(host.parallel_loops, 0);
}

TEST_P(PanelMatmul, image_is_small_and_deterministic) {
  const Ref<PrimFunc> func = lower_kernel(panel_matmul({.m = SymVar::make("m"), .n = 512, .k = 128}), target_);
  const Program first(func, target_), second(func, target_);
  EXPECT_EQ(first.image.elf, second.image.elf);
  EXPECT_LE(first.image.elf.size(), 12u << 10);
}

INSTANTIATE_TEST_SUITE_P(Targets, PanelMatmul, ::testing::Values("x86-64-v2", "x86-64-v3", "x86-64-v4"),
                         [](const auto& level) {
                           return std::string(level.param).substr(std::string(level.param).size() - 2);
                         });

TEST(KernelCode, begins_with_the_entry) {
  const Target target = Target::parse("x86-64-v3");
  const std::string code = kernel_assembly(
      std::vector<Kernel>{{"first", lower_kernel(panel_matmul({.m = int_imm(64), .n = 512, .k = 64}), target)},
                          {"second", lower_kernel(panel_matmul({.m = int_imm(64), .n = 256, .k = 64}), target)}},
      target);
  size_t before = 0;
  for (const char* label : {"\nfirst:", "\nfirst.body:", "\nfirst.task0:", "\nsecond:", "\nsecond.body:"}) {
    const size_t at = code.find(label);
    ASSERT_NE(at, std::string::npos) << label;
    EXPECT_GT(at, before) << label;
    before = at;
  }
}

// Returns the lines of the loop with the most FMAs.
std::vector<std::string> hottest_loop(const std::string& assembly) {
  std::vector<std::string> lines;
  std::istringstream in(assembly);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::vector<std::string> best;
  size_t best_count = 0;
  const std::regex label(R"(^(\.L\w+):.*)"), jump(R"(^\s+j\w+\s+(\.L\w+).*)");
  std::map<std::string, size_t> labels;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_match(lines[i], match, label)) labels[match[1]] = i;
    if (!std::regex_match(lines[i], match, jump) || !labels.contains(match[1])) continue;
    const std::vector<std::string> body(lines.begin() + static_cast<std::ptrdiff_t>(labels[match[1]]),
                                        lines.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    // Innermost loops only: no other label inside.
    if (std::ranges::any_of(body.begin() + 1, body.end(),
                            [&](const std::string& l) { return std::regex_match(l, label); }))
      continue;
    const auto count = static_cast<size_t>(
        std::ranges::count_if(body, [](const std::string& l) { return l.find("vfmadd") != std::string::npos; }));
    if (count > best_count) best = body, best_count = count;
  }
  return best;
}

struct HotLoop {
  int fmas = 0, on_stack = 0;
  explicit HotLoop(const Ref<PrimFunc>& func, const Target& target) {
    const std::vector<Kernel> kernels{{"kernel", lower_kernel(func, target)}};
    const std::string code = kernel_assembly(kernels, target);
    const bool has_frame = code.find("%rsp, %rbp") != std::string::npos;  // else %rbp is as others
    for (const std::string& line : hottest_loop(code)) {
      const bool is_in_frame = has_frame && line.find("(%rbp)") != std::string::npos;
      on_stack += line.find("(%rsp") != std::string::npos || is_in_frame ? 1 : 0;
      fmas += line.find("vfmadd") != std::string::npos ? 1 : 0;
    }
  }
};

TEST(PanelMatmulCode, inner_loop_stays_in_registers) {
  for (const char* name : {"x86-64-v3", "x86-64-v4"}) {
    const Target target = Target::parse(name);
    const HotLoop loop(panel_matmul({.m = int_imm(512), .n = 64, .k = 512}), target);
    EXPECT_EQ(loop.on_stack, 0) << name;
    EXPECT_GE(loop.fmas, target.isa.vector_registers / 2) << name;
  }
}

// Weights that no cache near the core holds are asked for before they are needed.
TEST(PanelMatmulCode, a_large_weight_is_prefetched) {
  const Target target = Target::parse("x86-64-v4");
  const Ref<PrimFunc> func = panel_matmul({.m = int_imm(512), .n = 512, .k = 512});
  const std::string code = kernel_assembly(std::vector<Kernel>{{"kernel", lower_kernel(func, target)}}, target);
  EXPECT_NE(code.find("prefetcht0"), std::string::npos);
  const HotLoop loop(func, target);
  EXPECT_EQ(loop.on_stack, 0);
  EXPECT_GE(loop.fmas, 26);
}

}  // namespace
}  // namespace sunmao::testing
