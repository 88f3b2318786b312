#include "tests/unit/codegen/intrinsic_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

constexpr int64_t kBlock = 4096;  // elements of a call

double limited(double v) { return std::fmin(std::fmax(v, -0x1p128), 0x1p128); }

Ref<PrimFunc> kernel_of(const Intrinsic& intrinsic) {
  const DType dtype = DType::float_(32), result = intrinsic.result == Intrinsic::Result::Bool ? DType::bool_() : dtype;
  KernelBuilder k("f");
  const Type type = TensorType::make({int_imm(kBlock)}, dtype);
  std::vector<Ref<Buffer>> in;
  for (size_t i = 0; i < intrinsic.arity; ++i) in.push_back(k.input("x" + std::to_string(i), type));
  k.compute(k.output("out", type), "f", [&](const Indices& i) {
    std::vector<Scalar> args;
    for (const Ref<Buffer>& b : in) args.push_back(load(b, i));
    const Scalar value = ScalarCall::make(std::string(intrinsic.name), result, std::move(args));
    return result == dtype ? value : Cast::make(dtype, value);
  });
  return std::move(k).finish();
}

}  // namespace

double error_of(float got, double truth, const Intrinsic::Bound& bound) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(truth) || std::isnan(got)) return std::isnan(truth) && std::isnan(got) ? 0 : kWrong;
  if (std::isinf(truth)) return static_cast<double>(got) == truth ? 0 : kWrong;
  if (truth == 0) return got == 0 && std::signbit(got) == std::signbit(truth) ? 0 : kWrong;
  if (bound.may_flush && got == 0 && std::abs(truth) < 0x1p-126) return 0;
  const double spacing = std::ldexp(1.0, std::max(std::ilogb(limited(truth)), -126) - 23);
  return std::abs(limited(got) - limited(truth)) / spacing;
}

struct CompiledIntrinsic::Code {
  Program program;
};

CompiledIntrinsic::CompiledIntrinsic(const Intrinsic& intrinsic, const Target& target)
    : intrinsic_(intrinsic), code_(new Code{Program(lower_kernel(kernel_of(intrinsic), target), target)}) {}
CompiledIntrinsic::~CompiledIntrinsic() = default;

std::vector<float> CompiledIntrinsic::run(const std::vector<std::vector<float>>& operands) const {
  const size_t count = operands[0].size();
  std::vector<float> out;
  std::vector<std::vector<float>> block(operands.size() + 1, std::vector<float>(kBlock));
  for (size_t first = 0; first < count; first += kBlock) {
    const size_t size = std::min<size_t>(kBlock, count - first);
    std::vector<void*> buffers;
    for (size_t i = 0; i < operands.size(); ++i) {
      std::copy_n(operands[i].begin() + static_cast<std::ptrdiff_t>(first), size, block[i].begin());
      buffers.push_back(block[i].data());
    }
    buffers.push_back(block.back().data());
    SUNMAO_CHECK(code_->program(buffers) == 0, "{} failed", intrinsic_.name);
    out.insert(out.end(), block.back().begin(), block.back().begin() + static_cast<std::ptrdiff_t>(size));
  }
  return out;
}

GreatestError greatest_error(const CompiledIntrinsic& compiled, const Intrinsic& intrinsic,
                             const std::vector<std::vector<float>>& operands) {
  GreatestError greatest;
  const std::vector<float> got = compiled.run(operands);
  for (size_t i = 0; i < got.size(); ++i) {
    std::array<double, 3> x{};
    for (size_t k = 0; k < operands.size(); ++k) x[k] = operands[k][i];
    const double error = error_of(got[i], intrinsic.of_floats(x.data()), intrinsic.bound);
    if (error <= greatest.spacings) continue;
    greatest = {error, {}};
    for (const std::vector<float>& operand : operands) greatest.at.push_back(operand[i]);
  }
  return greatest;
}

}  // namespace sunmao::testing
