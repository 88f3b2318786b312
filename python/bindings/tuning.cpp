// Bindings of tuning: the plans of a module's kernels are measured, and stand on the module.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "bindings/bindings.h"
#include "bindings/interruptible.h"
#include "compiler/compile.h"
#include "compiler/dlpack_view.h"
#include "compiler/kernel_entries.h"
#include "compiler/processor_name.h"
#include "compiler/runtime_handles.h"
#include "compiler/tuning/model_timer.h"

namespace sunmao::python {
namespace {

constexpr double kDay = 24 * 3600.0;  // what ends the work is the number of plans

/// The calls of all functions of a module on inputs that are made up.
struct AllCalls {
  std::vector<Array> arrays;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<TimedCall> calls;

  explicit AllCalls(const sunmao_model* model) {
    std::vector<size_t> counts;
    for (size_t f = 0; f < sunmao_function_count(model); ++f) {
      std::vector<Array> inputs = random_inputs(model, f);
      counts.push_back(inputs.size());
      for (Array& input : inputs) arrays.push_back(std::move(input));
    }
    shapes.resize(arrays.size());
    size_t next = 0;
    for (size_t f = 0; f < counts.size(); ++f) {
      calls.push_back({sunmao_function_name(model, f), {}});
      for (size_t i = 0; i < counts[f]; ++i, ++next) calls[f].inputs.push_back(dlpack_view(arrays[next], shapes[next]));
    }
  }
};

void tune_module(const Module& given, const std::string& path, const std::string& target, size_t most_plans,
                 size_t most_plans_of_kernel, const std::vector<std::string>& names, const IsCancelled& stop) {
  const Module module = with_kernel_calls(given);
  TuningDatabase database = TuningDatabase::read_if_there(path);
  CompileOptions options;
  options.targets = {Target::parse(target)};
  options.bind_weights = false;
  options.is_cancelled = stop;
  const auto artifact_of = [&](const TunedPlans& plans) {
    CompileOptions with_plans = options;
    with_plans.tuning = plans;
    return compile({module, {}}, with_plans).artifact;
  };
  const io::Bytes first = artifact_of({});
  const ModelHandle model = load_model(first, SUNMAO_LOAD_OPTIONS_INIT);
  const AllCalls all(model.get());
  options.runner.stop_after = "inline-elementwise";
  const std::vector<TunableKernel> kernels =
      find_tunable_kernels(run_pipeline({module, {}}, options).module, options.targets[0]);
  options.runner.stop_after = {};
  const auto begin = std::chrono::steady_clock::now();
  const TuneOptions tuning{
      .target = options.targets[0],
      .machine = fmt::format("{}, {} threads", processor_name(), sunmao_model_threads(model.get())),
      .seconds = kDay,
      .most_plans = most_plans,
      .most_plans_of_kernel = most_plans_of_kernel,
      .names = names,
      .now = [begin] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); },
      .on_measured = [&](const TuningDatabase& now) { now.write(path); },
      .is_cancelled = stop};
  const MakeTimedModel make = [&](const TunedPlans& plans) {
    return make_model_timer(plans.empty() ? first : artifact_of(plans), all.calls);
  };
  tune_kernels(kernels, make, database, tuning);
  database.write(path);
}

}  // namespace

void bind_tuning(nb::module_& m) {
  m.def(
      "tune",
      [](const Module& module, const std::string& path, const std::string& target, size_t most_plans,
         size_t most_plans_of_kernel, const std::vector<std::string>& names) {
        run_interruptible([=](const IsCancelled& stop) {
          tune_module(module, path, target, most_plans, most_plans_of_kernel, names, stop);
        });
      },
      nb::arg("module"), nb::arg("path"), nb::arg("target"), nb::arg("most_plans"), nb::arg("most_plans_of_kernel"),
      nb::arg("names"), "Measures plans of the module's kernels, on inputs that are made up, and adds them to a file.");
  m.def(
      "with_tuning",
      [](const Module& module, const std::string& path) {
        return with_tuning(module, TuningDatabase::read(path).plans());
      },
      nb::arg("module"), nb::arg("path"),
      "The module with the plans of a file, which its kernels take when it is compiled.");
}

}  // namespace sunmao::python
