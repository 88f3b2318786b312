#include "compiler/compile_summary.h"

#include <sunmao/runtime.h>

#include <algorithm>
#include <optional>

#include "compiler/arithmetic.h"
#include "compiler/runtime_handles.h"
#include "compiler/widened_weights.h"
#include "io/json.h"
#include "io/zip.h"
#include "passes/analysis/size_bounds.h"
#include "passes/schedule/function_work.h"
#include "support/quantity_text.h"

namespace sunmao {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// What the kernels of all functions that callers see do.
struct ModelWork {
  size_t calls = 0;                     // of kernels
  std::map<std::string, double> flops;  // in a run, by family; empty where it is not known
};

ModelWork work_of(const Module& module) {
  ModelWork out;
  size_t functions = 0;
  bool is_known = true;
  for (const FunctionEntry& e : module.functions()) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f || e.var->name.ends_with("_transform_params")) continue;
    const FunctionWork work = count_work(module, f);
    out.calls += work.calls;
    is_known = is_known && work.is_whole && ++functions == 1;
    SizeBounds bounds(*f);
    for (const auto& [family, flops] : work.flops_of) {
      const std::optional<int64_t> count = bounds.only_value(flops);
      is_known = is_known && count;
      out.flops[family] = static_cast<double>(count.value_or(0));
    }
  }
  if (!is_known) out.flops.clear();
  return out;
}

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

/// The operations of a run, and the families of kernels by their shares; empty where they are not known.
std::string operations_text(const std::map<std::string, double>& flops) {
  double all = 0;
  for (const auto& [family, count] : flops) all += count;
  return all > 0 ? fmt::format("{}FLOP a run ({})", operations(all), shares_text(flops)) : "";
}

std::string dtypes_text(const std::map<std::string, size_t>& dtypes) {
  std::vector<std::pair<std::string, size_t>> sorted(dtypes.begin(), dtypes.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, size_t>::second);
  std::string out;
  for (const auto& [dtype, count] : sorted)
    out += fmt::format("{}{} in {}", out.empty() ? "" : ", ", dtype, counted(count, "op"));
  return out;
}

/// The types of the ops' results, the operations of a run, and the numbers that they are on where that is not one type.
std::string arithmetic_text(const std::map<std::string, size_t>& dtypes, const std::map<std::string, double>& flops,
                            const std::vector<Arithmetic>& arithmetic) {
  std::string out = dtypes_text(dtypes);
  if (const std::string run = operations_text(flops); !run.empty()) out += "; " + run;
  const auto is_on_that_type = [&](const Arithmetic& a) {
    return dtypes.size() == 1 && a.flops_on.size() == 1 && a.flops_on.contains(dtypes.begin()->first);
  };
  if (!std::ranges::all_of(arithmetic, is_on_that_type)) out += "; " + arithmetic_text(arithmetic);
  return out;
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

std::string weights_text(const Growth& growth, const io::JsonValue& manifest) {
  if (growth.bytes_after == 0) return {};
  const double share =
      growth.bytes_before == 0 ? 1 : static_cast<double>(growth.bytes_after) / static_cast<double>(growth.bytes_before);
  const std::string widened = widened_text(manifest);
  return fmt::format("{}, {:.3f} of the model's{}{}", bytes_text(growth.bytes_after), share,
                     widened.empty() ? "" : "; ", widened);
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
  const io::JsonDocument manifest = manifest_of(model.get());
  const ModelWork work = work_of(compiled.module);
  const size_t described = described_function(model.get());
  Rows rows = has_functions ? function_rows(model.get(), described) : Rows();
  if (has_functions) std::ranges::copy(signature_rows(model.get(), described), std::back_inserter(rows));
  const OpCounts& ops = compiled.ops;
  rows.emplace_back("graph",
                    fmt::format("{} read; {} on weights alone, done beforehand; {} run as {}", counted(ops.read, "op"),
                                ops.on_weights, ops.run, counted(work.calls, "kernel call")));
  rows.emplace_back("weights", weights_text(compiled.growth, manifest.root()));
  rows.emplace_back("arithmetic", arithmetic_text(ops.dtypes, work.flops,
                                                  has_functions ? arithmetic_of(model.get(), manifest.root(), described)
                                                                : std::vector<Arithmetic>()));
  rows.emplace_back("memory", has_functions ? memory_text(model.get(), described) : "");
  rows.emplace_back("code", code_text(artifact));
  std::erase_if(rows, [](const auto& row) { return row.second.empty(); });
  return rows;
}

}  // namespace sunmao
