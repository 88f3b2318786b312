#include "cli/pass_options.h"

#include "cli/console.h"
#include "script/print.h"

namespace sunmao::cli {
namespace {

std::set<std::string> split(const std::vector<std::string>& lists) {
  std::set<std::string> names;
  for (const std::string& list : lists)
    for (const std::string& name : CLI::detail::split(list, ',')) names.insert(CLI::detail::trim_copy(name));
  return names;
}

}  // namespace

CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                          const std::string& help) {
  return app.add_option(name, values, help)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_pass_options(CLI::App& app, PassOptions& options) {
  app.add_option("--stop-after", options.stop_after, "the last pass to run")->type_name("PASS");
  add_repeated(app, "--dump-after", options.dump_after, "print the module after these passes, or after `all`")
      ->type_name("PASS,...");
  add_repeated(app, "--disable", options.disabled, "passes to leave out")->type_name("PASS,...");
  add_repeated(app, "--explain", options.explain, "tell why these passes did what they did, or did not")
      ->type_name("PASS,...");
  app.add_option("--verify", options.verify,
                 "`each`: after each pass, at the strongest stage that held before it, and what the pass promises;\n"
                 "`end`: at the end")
      ->check(CLI::IsMember({"each", "end"}));
  app.add_option("--validate", options.validate,
                 "`each`: run the functions before and after each pass, on generated inputs, and name the first pass\n"
                 "that changes a number")
      ->check(CLI::IsMember({"each"}));
  app.add_option("--validate-seed", options.validate_seed, "what --validate generates inputs from; default: 0")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  app.add_flag("--timing", options.timing, "print how long each pass took, and each other phase of `compile`");
}

RunnerOptions runner_options(const PassOptions& options) {
  RunnerOptions out;
  out.verify_each = options.verify == "each";
  out.validate_each = options.validate == "each";
  out.validation.seed = options.validate_seed;
  out.on_validated = [](const Validator& validator) {
    for (const std::string& line : validator.summary()) write_note(line);
  };
  out.disabled = split(options.disabled);
  out.dump_after = split(options.dump_after);
  out.stop_after = options.stop_after;
  out.explain = split(options.explain);
  out.on_explain = [](const std::string& line) { write_err(line + "\n"); };
  out.on_notice = write_note;
  out.on_dump = [](const std::string& pass, const Module& module) {
    write_err(fmt::format("# after {}\n{}\n", pass, print(module)));
  };
  return out;
}

std::string timing_table(const std::vector<PassTiming>& timings) {
  std::string out;
  double total = 0;
  for (const PassTiming& t : timings) {
    total += t.milliseconds;
    out += fmt::format("  {:<26} {:>10.3f} ms  {}\n", t.name, t.milliseconds, t.changed ? "changed" : "");
  }
  return out + fmt::format("  {:<26} {:>10.3f} ms\n", "all passes", total);
}

}  // namespace sunmao::cli
