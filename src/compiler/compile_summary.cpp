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
#include "passes/analysis/size_bounds.h"
#include "passes/schedule/kernel_family.h"
#include "support/quantity_text.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// Adds the types of the tensors in a type, in order.
void add_tensors(const Type& type, std::vector<const TensorType*>& tensors) {
  if (const auto* tensor = find<TensorType>(type)) tensors.push_back(tensor);
  if (const auto* tuple = find<TupleType>(type))
    for (const Type& field : tuple->fields) add_tensors(field, tensors);
}

/// Returns the known sizes of a kernel's symbols in a call: arguments and results are the kernel's buffers, in order.
Substitution known_sizes(const PrimFunc& kernel, const Call& call, SizeBounds& bounds) {
  std::vector<const TensorType*> tensors;
  for (size_t i = 1; i < call.args.size(); ++i) add_tensors(call.args[i]->type, tensors);
  add_tensors(call.type, tensors);
  const std::vector<Ref<Buffer>> buffers = kernel.buffers();
  Substitution sizes;
  for (size_t i = 0; i < std::min(buffers.size(), tensors.size()); ++i) {
    const auto& dims = tensors[i]->dims();
    for (size_t d = 0; dims && dims->size() == buffers[i]->shape.size() && d < dims->size(); ++d)
      if (const Ref<SymVar> symbol = find_ref<SymVar>(buffers[i]->shape[d]))
        if (const std::optional<int64_t> size = bounds.only_value((*dims)[d]))
          sizes.emplace(symbol, IntImm::make(symbol->dtype, *size));
  }
  return sizes;
}

/// The calls of kernels, and their operations on elements by family where these are known: where all sizes are, and
/// each call runs once.
class KernelCounter final : public Visitor {
 public:
  explicit KernelCounter(const Module& module) : module_(module) {}
  void count(const Function& f) {
    bounds_.emplace(f);
    visit(Expr(f.body));
  }

  size_t calls = 0;
  bool has_unknown_work = false;
  std::map<std::string, double> flops;

 private:
  using Visitor::visit;

  void visit(const Call& call) override {
    const Op* op = op_of(call);
    const auto* name = op && op->info.calls_argument ? find<GlobalVar>(call.args[0]) : nullptr;
    if (const Ref<PrimFunc> kernel = name ? module_.find_as<PrimFunc>(name->name) : nullptr) add(*kernel, call);
    Visitor::visit(call);
  }

  void visit(const If& branch) override {
    has_unknown_work = true;
    Visitor::visit(branch);
  }

  void add(const PrimFunc& kernel, const Call& call) {
    ++calls;
    const Scalar work = substitute(count_work(kernel).flops, known_sizes(kernel, call, *bounds_));
    if (const std::optional<int64_t> count = bounds_->only_value(work))
      flops[kernel_family(kernel)] += static_cast<double>(*count);
    else
      has_unknown_work = true;
  }

  const Module& module_;
  std::optional<SizeBounds> bounds_;  // of the function that is visited
};

std::string counted(size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Adds the ranges of the symbols among the sizes, each once.
void add_ranges(std::span<const sunmao_dim> dims, std::vector<std::string>& ranges) {
  for (const sunmao_dim& d : dims) {
    if (!d.symbol) continue;
    const std::string high = d.maximum == INT64_MAX ? "" : std::to_string(d.maximum);
    const std::string range = d.minimum == d.maximum ? fmt::format("{}={}", d.symbol, d.minimum)
                                                     : fmt::format("{}={}..{}", d.symbol, d.minimum, high);
    if (std::ranges::find(ranges, range) == ranges.end()) ranges.push_back(range);
  }
}

/// A size, and a symbol that has one value alone as that value.
std::string dim_text(const sunmao_dim& d) {
  return d.symbol && d.minimum != d.maximum ? std::string(d.symbol) : std::to_string(d.minimum);
}

std::string type_text(const sunmao_value_info& info) {
  std::string dims;
  for (const sunmao_dim& d : std::span(info.dims, static_cast<size_t>(info.ndim)))
    dims += (dims.empty() ? "" : ", ") + dim_text(d);
  return fmt::format("{} ({}{})", info.dtype_name, dims, info.ndim == 1 ? "," : "");
}

/// The function that the lines about inputs, results and memory are of: `main`, or else the first one.
size_t described_function(const sunmao_model* model) {
  const int64_t found = sunmao_find_function(model, "main");
  return found < 0 ? 0 : static_cast<size_t>(found);
}

/// The line that names this function where a caller has a choice.
Rows function_rows(const sunmao_model* model, size_t function) {
  std::string others;
  for (size_t i = 0; i < sunmao_function_count(model); ++i)
    if (i != function) others += fmt::format("{}`{}`", others.empty() ? "" : ", ", sunmao_function_name(model, i));
  if (others.empty()) return {};
  return {{"function", fmt::format("`{}`, of which inputs, results and memory are told; others: {}",
                                   sunmao_function_name(model, function), others)}};
}

/// The lines of the inputs and results of a function; long lists are cut.
Rows signature_rows(const sunmao_model* model, size_t function) {
  constexpr size_t kMost = 8;  // values that are listed
  const auto values = [&](auto* info_of, bool with_names, std::vector<std::string>& ranges) {
    std::string out;
    size_t count = 0;
    sunmao_value_info info;
    for (; info_of(model, function, count, &info) == 0; ++count) {
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

/// Returns what a function whose inputs have one size each has in use between its kernels; nullopt where a size is not
/// known.
std::optional<uint64_t> known_memory(const sunmao_model* model, size_t function) {
  std::vector<int64_t> sizes;
  sunmao_value_info info;
  for (size_t input = 0; sunmao_input_info(model, function, input, &info) == 0; ++input) {
    const sunmao_dim* held = nullptr;
    const size_t count = sunmao_input_sizes(model, function, input, &held);
    for (const std::span<const sunmao_dim> dims : {std::span(info.dims, static_cast<size_t>(info.ndim)), {held, count}})
      for (const sunmao_dim& d : dims) {
        if (d.minimum != d.maximum) return std::nullopt;
        sizes.push_back(d.minimum);
      }
  }
  sunmao_memory_info memory;
  if (sunmao_function_memory(model, function, sizes.data(), sizes.size(), &memory, nullptr)) return std::nullopt;
  return memory.live_bytes;
}

std::string memory_text(const sunmao_model* model, size_t function) {
  if (const std::optional<uint64_t> bytes = known_memory(model, function))
    return fmt::format("{} between kernels", bytes_text(*bytes));
  sunmao_error error;
  char* text = nullptr;
  if (sunmao_function_memory_formula(model, function, &text, &error)) fail_with(error);
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
  const size_t described = described_function(model.get());
  Rows rows = has_functions ? function_rows(model.get(), described) : Rows();
  if (has_functions) std::ranges::copy(signature_rows(model.get(), described), std::back_inserter(rows));
  size_t functions = 0;
  for (const FunctionEntry& e : compiled.module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f || e.var->name.ends_with("_transform_params")) continue;
    if (++functions > 1) kernels.has_unknown_work = true;
    kernels.count(*f);
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
  rows.emplace_back("memory", has_functions ? memory_text(model.get(), described) : "");
  rows.emplace_back("code", code_text(artifact));
  std::erase_if(rows, [](const auto& row) { return row.second.empty(); });
  return rows;
}

}  // namespace sunmao
