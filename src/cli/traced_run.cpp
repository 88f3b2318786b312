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

}  // namespace

std::unique_ptr<Runnable> compiled(const Model& model) {
  return load_artifact(compile(model, {}).artifact, LoadSettings{});
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

}  // namespace sunmao::cli
