// The command `sunmao profile`: runs an artifact, or a model compiled in memory, and tells where its time goes.
#include <chrono>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/model_options.h"
#include "cli/option_values.h"
#include "cli/profile_report.h"
#include "cli/run_inputs.h"
#include "compiler/runtime_handles.h"
#include "compiler/tensor_file.h"
#include "io/write_file.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

struct ProfileSettings : ModelSettings {
  std::string json, trace;
  int repeat = 0;  // 0: for kSeconds
  size_t top = 0;
};

constexpr double kSeconds = 1;
constexpr uint64_t kTracedEvents = 100000;

constexpr const char* kProfileExamples = R"(Examples:
  sunmao profile model.sunmao
  sunmao profile model.onnx --dim batch=8 --threads 1 --top 10
  sunmao profile model.sunmao --trace trace.json    (open it at https://ui.perfetto.dev)
  sunmao profile model.sunmao --json - | jq '.kernels[0]')";

// Runs once without profile, so that layouts and memory are there, then as often as is asked for.
void run_profiled(Runnable& runnable, const std::vector<HostTensor>& inputs, const ProfileSettings& s) {
  runnable.run(inputs);
  sunmao_profile_options options = SUNMAO_PROFILE_OPTIONS_INIT;
  options.max_events = s.trace.empty() ? 0 : kTracedEvents;
  sunmao_error error;
  if (sunmao_profile_start(runnable.session(), &options, &error)) fail_with(error);
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  for (int i = 0; s.repeat > 0 ? i < s.repeat : i == 0 || spent() < kSeconds; ++i) runnable.run(inputs);
  if (sunmao_profile_stop(runnable.session(), &error)) fail_with(error);
}

void write_trace(const Runnable& runnable, const ModelProfile& profile, const std::string& path) {
  const std::string trace = profile_trace(runnable.session(), profile);
  write_or_fail(path, {io::Bytes::borrowed(std::as_bytes(std::span(trace)))});
  sunmao_profile_info info;
  if (sunmao_profile_get_info(runnable.session(), &info) == 0 && info.lost_events > 0)
    write_err(fmt::format("note: the trace has the first {} runs and kernel calls of {}\n", info.event_count,
                          info.event_count + info.lost_events));
}

int profile_model(const ProfileSettings& s) {
  if (s.threads > 0) sunmao_set_threads(s.threads);
  const std::unique_ptr<Runnable> runnable = open_model(s, {s.json == "-" ? "" : s.json, s.trace});
  const std::vector<HostTensor> inputs = make_inputs(
      runnable->inputs(), {.inputs = s.inputs, .sizes = parse_sizes(s.dims), .recording_name = {}, .prefix = {}});
  run_profiled(*runnable, inputs, s);
  const ModelProfile profile = read_profile(runnable->model(), runnable->session());
  const MachinePeak peak = measure_peak(profile.threads);
  if (!s.trace.empty()) write_trace(*runnable, profile, s.trace);
  if (s.json == "-") {
    write_out(profile_json(profile, peak));
    return kSuccess;
  }
  if (!s.json.empty()) {
    const std::string json = profile_json(profile, peak);
    write_or_fail(s.json, {io::Bytes::borrowed(std::as_bytes(std::span(json)))});
  }
  write_out(profile_table(profile, peak, s.top));
  return kSuccess;
}

}  // namespace

Command add_profile(CLI::App& app) {
  auto s = std::make_shared<ProfileSettings>();
  CLI::App* c = app.add_subcommand("profile", "Tell where the time of a run goes, kernel by kernel");
  c->footer(kProfileExamples);
  add_model_options(*c, *s);
  c->add_option("--repeat", s->repeat, "how often to run; default: for a second")
      ->check(CLI::Range(1, 100000000))
      ->type_name("N");
  c->add_option("--top", s->top, "how many kernels the table shows; default: all")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  c->add_option("--json", s->json, "where the profile goes as JSON; `-`: to standard output, in place of the table")
      ->type_name("FILE");
  c->add_option("--trace", s->trace, "where a trace of single kernel calls goes, for Perfetto or chrome://tracing")
      ->type_name("FILE");
  return {c, [s] { return profile_model(*s); }};
}

}  // namespace sunmao::cli
