#include "cli/traced_run.h"

#include <algorithm>

#include "compiler/compile.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

/// Made-up integers may be no indices or lengths that the models take; zeros are.
InputRequest with_zeros(InputRequest request, const std::vector<InputInfo>& infos) {
  for (const InputInfo& info : infos) {
    const auto is_given = [&](const std::string& i) {
      return i.starts_with(info.name + "=") || i.starts_with(info.identifier + "=");
    };
    if (info.dtype.is_integral() && std::ranges::none_of(request.inputs, is_given))
      request.inputs.push_back(info.name + "=zeros");
  }
  return request;
}

/// Runs `runnable`, which was made of `traced`.
Trace run_traced(Runnable& runnable, TracedModel&& traced, const std::vector<HostTensor>& inputs) {
  runnable.run(inputs);
  std::vector<Array> all = runnable.outputs();
  Trace out{.results = {}, .values = std::move(traced.values)};
  for (size_t i = 0; i < all.size(); ++i)
    if (i < traced.results)
      out.results.push_back(std::move(all[i]));
    else
      out.values[i - traced.results].data = std::move(all[i]);
  return out;
}

}  // namespace

std::unique_ptr<Runnable> compiled(const Model& model, const CompileOptions& options) {
  return load_artifact(compile(model, options).artifact, LoadSettings{});
}

std::vector<HostTensor> inputs_that_run(Runnable& runnable, const InputRequest& request) {
  constexpr std::string_view kOutOfRange = "E0919";
  std::vector<HostTensor> inputs = make_inputs(runnable.inputs(), request);
  try {
    runnable.run(inputs);
  } catch (const UserError& error) {
    if (error.diagnostics().front().code != kOutOfRange) throw;
    inputs = make_inputs(runnable.inputs(), with_zeros(request, runnable.inputs()));
  }
  return inputs;
}

std::pair<Trace, Trace> run_both(const Model& a, const Model& b, const InputRequest& request) {
  TracedModel traced_a = traced(a), traced_b = traced(b);
  const std::unique_ptr<Runnable> run_a = compiled(traced_a.model), run_b = compiled(traced_b.model);
  const size_t count_a = run_a->inputs().size(), count_b = run_b->inputs().size();
  if (count_a != count_b)
    fail("E0537", {}, fmt::format("the models take {} and {} inputs", count_a, count_b),
         "models with equal inputs are compared by their numbers");
  const std::vector<HostTensor> inputs = inputs_that_run(*run_a, request);
  Trace x = run_traced(*run_a, std::move(traced_a), inputs);
  return {std::move(x), run_traced(*run_b, std::move(traced_b), inputs)};
}

}  // namespace sunmao::cli
