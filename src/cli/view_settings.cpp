#include "cli/view_settings.h"

#include "cli/artifact_entries.h"
#include "cli/option_values.h"
#include "passes/pass.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao::cli {
namespace {

void check_pass(const char* option, const std::string& name, const RunnerOptions& runner) {
  if (name.empty()) return;
  std::vector<std::string> known;
  for (const Pass& p : all_passes()) known.emplace_back(p.name);
  if (!find_pass(name))
    fail("E0511", {}, fmt::format("{}: there is no pass {}", option, io::quoted(name)), did_you_mean(name, known));
  if (runner.disabled.contains(name))
    fail("E0004", {}, fmt::format("{} and --disable name the same pass, {}", option, io::quoted(name)),
         "a pass that is left out has no module before or after it");
}

/// Fails for an option of the pipeline that nothing of what is drawn goes through.
void check_pipeline_options(const ViewSettings& s) {
  const bool has_model = !is_artifact(s.model) || (!s.other.empty() && !is_artifact(s.other));
  const auto check = [&](const char* option, bool is_given, bool has_effect, const char* needed, const char* help) {
    if (!is_given) return;
    if (!has_model)
      fail("E0004", {}, fmt::format("{} is about models", option), "an artifact has been through the pipeline");
    if (!has_effect) fail("E0004", {}, fmt::format("{} goes with {}", option, needed), help);
  };
  const char* as_read = s.numbers ? "--numbers runs models as they are read, on this machine"
                                  : "a model as it was read has been through no pass";
  check("--stop-after", !s.passes.stop_after.empty(), true, "", "");
  check("--around", !s.around.empty(), true, "", "");
  check("--ops", !s.ops.empty(), true, "", "");
  check("--target", !s.target.empty(), s.is_staged(), "--stop-after or --around", as_read);
  check("--disable", !s.passes.disabled.empty(), s.is_staged(), "--stop-after or --around", as_read);
  check("--dim", !s.dims.empty(), s.is_staged() || s.numbers, "--stop-after, --around or --numbers",
        "a model as it was read has its own ranges");
}

}  // namespace

void check_view_settings(const ViewSettings& s) {
  if (!s.around.empty() && (!s.other.empty() || !s.passes.stop_after.empty()))
    fail("E0004", {}, "--around goes with one model and without --stop-after",
         "it shows the module before and after the pass that it names");
  if (s.numbers && (s.other.empty() || is_artifact(s.model) || is_artifact(s.other)))
    fail("E0004", {}, "--numbers is about two models", "sunmao view A B --numbers");
  if (s.numbers && !s.passes.stop_after.empty())
    fail("E0004", {}, "--numbers and --stop-after do not go together", "models are run as they are read");
  if (!s.inputs.empty() && !s.numbers) fail("E0004", {}, "--input goes with --numbers", "a picture takes no inputs");
  if (!s.target.empty()) static_cast<void>(parse_targets({s.target}));
  check_pipeline_options(s);
  const RunnerOptions runner = runner_options(s.passes);
  check_pass("--around", s.around, runner);
  check_pass("--stop-after", s.passes.stop_after, runner);
}

}  // namespace sunmao::cli
