#include "compiler/compile_summary.h"

#include <sunmao/runtime.h>

#include <algorithm>
#include <optional>

#include "compiler/runtime_handles.h"
#include "io/zip.h"
#include "ir/op.h"
#include "ir/walk.h"
#include "loop/prim_func.h"
#include "passes/analysis/kernel_work.h"
#include "passes/schedule/kernel_family.h"
#include "support/quantity_text.h"

namespace sunmao {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// The calls of kernels, and their operations on elements by family where these are known: where all sizes are, and
/// each call runs once.
class KernelCounter final : public Visitor {
 public:
  using Visitor::visit;
  explicit KernelCounter(const Module& module) : module_(module) {}
  size_t calls = 0;
  bool has_unknown_work = false;
  std::map<std::string, double> flops;

 private:
  void visit(const Call& call) override {
    const Op* op = op_of(call);
    const auto* name = op && op->info.calls_argument ? find<GlobalVar>(call.args[0]) : nullptr;
    if (const Ref<PrimFunc> kernel = name ? module_.find_as<PrimFunc>(name->name) : nullptr) add(*kernel);
    Visitor::visit(call);
  }

  void visit(const If& branch) override {
    has_unknown_work = true;
    Visitor::visit(branch);
  }

  void add(const PrimFunc& kernel) {
    ++calls;
    const KernelWork work = count_work(kernel);
    if (const int64_t* count = find_int(work.flops))
      flops[kernel_family(kernel)] += static_cast<double>(*count);
    else
      has_unknown_work = true;
  }

  const Module& module_;
};

std::string counted(size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Adds the ranges of the symbols among the sizes, each once.
void add_ranges(std::span<const sunmao_dim> dims, std::vector<std::string>& ranges) {
  for (const sunmao_dim& d : dims) {
    if (!d.symbol) continue;
    const std::string high = d.maximum == INT64_MAX ? "" : std::to_string(d.maximum);
    const std::string range = fmt::format("{}={}..{}", d.symbol, d.minimum, high);
    if (std::ranges::find(ranges, range) == ranges.end()) ranges.push_back(range);
  }
}

std::string type_text(const sunmao_value_info& info) {
  std::string dims;
  for (const sunmao_dim& d : std::span(info.dims, static_cast<size_t>(info.ndim)))
    dims += (dims.empty() ? "" : ", ") + (d.symbol ? std::string(d.symbol) : std::to_string(d.size));
  return fmt::format("{} ({}{})", info.dtype_name, dims, info.ndim == 1 ? "," : "");
}

/// The lines of the inputs and results of the first function; long lists are cut.
Rows signature_rows(const sunmao_model* model) {
  constexpr size_t kMost = 8;  // values that are listed
  const auto values = [&](auto* info_of, bool with_names, std::vector<std::string>& ranges) {
    std::string out;
    size_t count = 0;
    sunmao_value_info info;
    for (; info_of(model, 0, count, &info) == 0; ++count) {
      add_ranges({info.dims, static_cast<size_t>(info.ndim)}, ranges);
      if (count >= kMost) continue;
      out += (count > 0 ? ", " : "") + (with_names ? info.name + std::string(": ") : "") + type_text(info);
    }
    return count > kMost ? fmt::format("{} and {} more", out, count - kMost) : out;
  };
  std::vector<std::string> ranges, unused;
  std::string inputs = values(&sunmao_input_info, true, ranges);
  if (!ranges.empty()) inputs += fmt::format("; {}", fmt::join(ranges, ", "));
  return {{"inputs", inputs}, {"results", values(&sunmao_output_info, false, unused)}};
}

std::string operations(double count) {
  for (const char* unit : {"", " K", " M", " G"}) {
    if (count < 1000) return fmt::format("{:.3g}{}{}", count, unit, *unit ? "" : " ");
    count /= 1000;
  }
  return fmt::format("{:.3g} T", count);
}

std::string arithmetic_text(const std::map<std::string, size_t>& dtypes, const KernelCounter& kernels) {
  std::vector<std::pair<std::string, size_t>> sorted(dtypes.begin(), dtypes.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, size_t>::second);
  std::string out;
  for (const auto& [dtype, count] : sorted)
    out += fmt::format("{}{} in {}", out.empty() ? "" : ", ", dtype, counted(count, "op"));
  double all = 0;
  for (const auto& [family, flops] : kernels.flops) all += flops;
  if (all <= 0 || kernels.has_unknown_work) return out;
  out += fmt::format("; {}FLOP a run", operations(all));
  std::vector<std::pair<std::string, double>> families(kernels.flops.begin(), kernels.flops.end());
  std::ranges::stable_sort(families, std::greater(), &std::pair<std::string, double>::second);
  constexpr double kWorthNaming = 0.005;
  std::string shares;
  for (const auto& [family, flops] : families)
    if (flops >= kWorthNaming * all)
      shares += fmt::format("{}{} {:.0f} %", shares.empty() ? "" : ", ", family, 100 * flops / all);
  return fmt::format("{} ({})", out, shares);
}

std::string memory_text(const sunmao_model* model) {
  sunmao_error error;
  char* text = nullptr;
  if (sunmao_function_memory_formula(model, 0, &text, &error)) fail_with(error);
  const std::unique_ptr<char, decltype(&sunmao_string_free)> formula(text, sunmao_string_free);
  const std::string_view found(text);
  if (found.empty()) return {};
  const bool is_number = found.find_first_not_of("0123456789") == found.npos;
  return fmt::format("{} between kernels", is_number ? bytes_text(std::stoull(text)) : fmt::format("{} bytes", found));
}

std::string code_text(const io::Bytes& artifact) {
  const io::Result<io::ZipReader> zip = io::ZipReader::open(artifact);
  constexpr std::string_view kCode = "code/";
  std::string out;
  for (const io::ZipEntry& e : zip.ok() ? zip->entries() : std::vector<io::ZipEntry>())
    if (e.name.starts_with(kCode))
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", e.name.substr(kCode.size()), bytes_text(e.size));
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> compile_summary(const Compiled& compiled, const io::Bytes& artifact) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.without_code = 1;
  const ModelHandle model = load_model(artifact, options);
  const bool has_functions = sunmao_function_count(model.get()) > 0;
  KernelCounter kernels(compiled.module);
  Rows rows = has_functions ? signature_rows(model.get()) : Rows();
  size_t functions = 0;
  for (const FunctionEntry& e : compiled.module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f || e.var->name.ends_with("_transform_params")) continue;
    if (++functions > 1) kernels.has_unknown_work = true;
    kernels.visit(Expr(f->body));
  }
  const OpCounts& ops = compiled.ops;
  rows.emplace_back("graph",
                    fmt::format("{} read; {} on weights alone, done beforehand; {} run as {}", counted(ops.read, "op"),
                                ops.on_weights, ops.run, counted(kernels.calls, "kernel call")));
  if (const Growth& growth = compiled.growth; growth.bytes_after > 0)
    rows.emplace_back("weights", fmt::format("{}, {:.3f} of the model's", bytes_text(growth.bytes_after),
                                             growth.bytes_before > 0 ? static_cast<double>(growth.bytes_after) /
                                                                           static_cast<double>(growth.bytes_before)
                                                                     : 1.0));
  rows.emplace_back("arithmetic", arithmetic_text(ops.dtypes, kernels));
  rows.emplace_back("memory", has_functions ? memory_text(model.get()) : "");
  rows.emplace_back("code", code_text(artifact));
  std::erase_if(rows, [](const auto& row) { return row.second.empty(); });
  return rows;
}

}  // namespace sunmao
