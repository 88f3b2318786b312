#include "cli/compile_summary.h"

#include <sunmao/runtime.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/artifact_entries.h"
#include "cli/console.h"
#include "compiler/runtime_handles.h"
#include "compiler/tensor_file.h"
#include "ir/op.h"
#include "ir/walk.h"
#include "loop/prim_func.h"
#include "passes/analysis/kernel_work.h"
#include "passes/schedule/kernel_family.h"

namespace sunmao::cli {
namespace {

constexpr std::string_view kTransform = "_transform_params";
// The pass whose input has every op that runs, each still by itself.
constexpr std::string_view kBeforeKernels = "fuse-ops";

class OpCounter final : public Visitor {
 public:
  using Visitor::visit;
  size_t count = 0;
  std::map<std::string, size_t> dtypes;

 private:
  void visit(const Call& call) override {
    if (op_of(call)) {
      ++count;
      if (const auto* tensor = find<TensorType>(call.type)) ++dtypes[tensor->dtype.str()];
    }
    Visitor::visit(call);
  }
};

/// The calls of kernels, and their operations on elements by family where all sizes are known.
class KernelCounter final : public Visitor {
 public:
  using Visitor::visit;
  explicit KernelCounter(const Module& module) : module_(module) {}
  size_t calls = 0;
  bool has_open_sizes = false;
  std::map<std::string, double> flops;

 private:
  void visit(const Call& call) override {
    const Op* op = op_of(call);
    const auto* name = op && op->info.calls_argument ? find<GlobalVar>(call.args[0]) : nullptr;
    if (const Ref<PrimFunc> kernel = name ? module_.find_as<PrimFunc>(name->name) : nullptr) add(*kernel);
    Visitor::visit(call);
  }

  void add(const PrimFunc& kernel) {
    ++calls;
    const KernelWork work = count_work(kernel);
    if (const int64_t* count = find_int(work.flops))
      flops[kernel_family(kernel)] += static_cast<double>(*count);
    else
      has_open_sizes = true;
  }

  const Module& module_;
};

std::string row(const char* name, const std::string& text) {
  constexpr std::string_view kIndent = "              ";
  return text.empty() ? "" : wrapped(fmt::format("  {:<12}{}", name, text), terminal_width(), kIndent) + "\n";
}

std::string counted(size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string type_text(const Type& type) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims()) return describe(type);
  std::string dims;
  for (const Scalar& d : *tensor->dims()) dims += (dims.empty() ? "" : ", ") + describe(d);
  return fmt::format("{} ({}{})", tensor->dtype.str(), dims, tensor->dims()->size() == 1 ? "," : "");
}

std::string ranges_text(const Function& f) {
  const AttrMap *lower = f.attr<AttrMap>("tir_var_lower_bound"), *upper = f.attr<AttrMap>("tir_var_upper_bound");
  std::string out;
  std::set<std::string> seen;
  for (const Ref<Var>& p : f.params)
    for (const Ref<SymVar>& s : free_symbols(p->type)) {
      if (!seen.insert(s->name).second) continue;
      const auto bound = [&](const AttrMap* bounds) {
        const auto found = bounds ? bounds->find(s->name) : AttrMap::const_iterator();
        const int64_t* value = bounds && found != bounds->end() ? found->second.find<int64_t>() : nullptr;
        return value ? std::to_string(*value) : std::string();
      };
      const std::string low = bound(lower), high = bound(upper);
      out += fmt::format("{}{}={}..{}", out.empty() ? "; " : ", ", s->name, low.empty() ? "0" : low, high);
    }
  return out;
}

/// The lines of inputs and results, with names and sizes as the model's file has them; long lists are cut.
std::string signature_rows(const Function& f) {
  constexpr size_t kMost = 8;  // values that are listed
  std::string inputs, results;
  for (size_t i = 0; i < std::min(f.params.size(), kMost); ++i)
    inputs += fmt::format("{}{}: {}", i > 0 ? ", " : "", f.params[i]->name, type_text(f.params[i]->type));
  if (f.params.size() > kMost) inputs += fmt::format(" and {} more", f.params.size() - kMost);
  const auto* tuple = find<TupleType>(f.body->type);
  const std::vector<Type> types = tuple ? tuple->fields : std::vector{f.body->type};
  for (size_t i = 0; i < std::min(types.size(), kMost); ++i) results += (i > 0 ? ", " : "") + type_text(types[i]);
  if (types.size() > kMost) results += fmt::format(" and {} more", types.size() - kMost);
  return row("inputs", inputs + ranges_text(f)) + row("results", results);
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
  if (all <= 0 || kernels.has_open_sizes) return out;
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

std::string memory_text_of(const std::string& path) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.without_code = 1;
  const ModelHandle model = load_model(path, options);
  sunmao_error error;
  char* text = nullptr;
  if (sunmao_function_count(model.get()) == 0) return {};
  if (sunmao_function_memory_formula(model.get(), 0, &text, &error)) fail_with(error);
  const std::unique_ptr<char, decltype(&sunmao_string_free)> formula(text, sunmao_string_free);
  const std::string_view found(text);
  if (found.empty()) return {};
  const bool is_number = found.find_first_not_of("0123456789") == found.npos;
  return fmt::format("{} between kernels", is_number ? byte_size(std::stoull(text)) : fmt::format("{} bytes", found));
}

std::string code_text(const std::string& path) {
  std::string out;
  for (const ArtifactEntry& e : artifact_entries(map_or_fail(path)))
    if (e.name.starts_with("code/"))
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", e.name.substr(std::string_view("code/").size()),
                         byte_size(e.size));
  return out;
}

}  // namespace

CompileSummary::CompileSummary(const Module& model) {
  OpCounter counter;
  for (const FunctionEntry& e : model.functions())
    if (const auto* f = find<Function>(Expr(e.func))) counter.visit(Expr(f->body));
  read_ = counter.count;
}

void CompileSummary::on_begin(const PipelineStep& step, const Module& input) {
  if (step.pass->name != kBeforeKernels || run_ + on_weights_ > 0) return;
  OpCounter running, preparing;
  for (const FunctionEntry& e : input.functions())
    if (const auto* f = find<Function>(Expr(e.func)))
      (e.var->name.ends_with(kTransform) ? preparing : running).visit(Expr(f->body));
  run_ = running.count;
  on_weights_ = preparing.count;
  dtypes_ = std::move(running.dtypes);
}

std::string CompileSummary::text(const std::string& path, const Compiled& compiled) const {
  KernelCounter kernels(compiled.module);
  std::string out;
  for (const FunctionEntry& e : compiled.module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f || e.var->name.ends_with(kTransform)) continue;
    kernels.visit(Expr(f->body));
    if (e.var->name == "main") out += signature_rows(*f);
  }
  out += row("graph", fmt::format("{} read; {} on weights alone, done beforehand; {} run as {}", counted(read_, "op"),
                                  on_weights_, run_, counted(kernels.calls, "kernel call")));
  const Growth& growth = compiled.growth;
  if (growth.bytes_after > 0)
    out += row("weights", fmt::format("{}, {:.3f} of the model's", byte_size(growth.bytes_after),
                                      growth.bytes_before > 0 ? static_cast<double>(growth.bytes_after) /
                                                                    static_cast<double>(growth.bytes_before)
                                                              : 1.0));
  return out + row("arithmetic", arithmetic_text(dtypes_, kernels)) + row("memory", memory_text_of(path)) +
         row("code", code_text(path));
}

void CompileSummary::write(io::JsonWriter& w) const {
  w.key("ops").begin_object().key("read").value(read_).key("on_weights").value(on_weights_).key("run").value(run_);
  w.end_object().key("dtypes").begin_object();
  for (const auto& [dtype, count] : dtypes_) w.key(dtype).value(count);
  w.end_object();
}

}  // namespace sunmao::cli
