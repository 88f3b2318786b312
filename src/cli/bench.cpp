// The command `sunmao bench`: times a model at several sizes and numbers of threads.
#include <sunmao/runtime.h>

#include <algorithm>
#include <chrono>

#include "cli/bench_report.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/decimal_option.h"
#include "cli/model_options.h"
#include "cli/option_values.h"
#include "cli/pass_options.h"
#include "cli/run_inputs.h"
#include "compiler/processor_name.h"
#include "compiler/tensor_file.h"
#include "support/diagnostic.h"
#include "support/version.h"

namespace sunmao::cli {
namespace {

struct BenchSettings : ModelSettings {
  std::string thread_list, batch, output, format = "text";
  double seconds = 1;
};

constexpr size_t kMostRows = 1000;
constexpr int kRounds = 5;             // all rows take turns, so that what disturbs the machine meets all of them
constexpr double kWarmSeconds = 0.05;  // before the first round, at least two runs

constexpr const char* kBenchExamples = R"(Examples:
  sunmao bench model.sunmao
  sunmao bench model.onnx --batch 1,8 --threads 1,2
  sunmao bench model.sunmao --dim seq=32..128:32 --dim batch=1..16*2 --seconds 0.5
  sunmao bench model.sunmao --threads 1,2 --format csv -o times.csv)";

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// The symbol that --batch sets: the first dimension of the first input that begins with a symbol.
std::string batch_symbol(const std::vector<InputInfo>& inputs) {
  for (const InputInfo& input : inputs)
    if (!input.dims.empty() && !input.dims[0].symbol.empty()) return input.dims[0].symbol;
  fail("E0002", {}, "--batch: no input has a symbolic first dimension",
       "the model has constant sizes; `sunmao inspect` lists the inputs");
}

/// Adds the cross product of what rows have and further values of one dimension.
void multiply(std::vector<BenchRow>& rows, const std::vector<int64_t>& values,
              const std::function<void(BenchRow&, int64_t)>& set) {
  std::vector<BenchRow> out;
  if (rows.size() * values.size() > kMostRows)
    fail("E0002", {}, fmt::format("there are more than {} combinations", kMostRows), "give fewer sizes at once");
  for (const BenchRow& row : rows)
    for (int64_t value : values) {
      out.push_back(row);
      set(out.back(), value);
    }
  rows = std::move(out);
}

std::vector<BenchRow> rows_of(const BenchSettings& s, const Runnable& runnable) {
  std::vector<BenchRow> rows(1);
  std::set<std::string> named;
  const auto add_symbol = [&](const std::string& option, const std::string& symbol, const std::string& list) {
    if (!named.insert(symbol).second)
      fail("E0002", {}, fmt::format("{}: the size of `{}` is given twice", option, symbol));
    multiply(rows, parse_counts(option, list),
             [&](BenchRow& row, int64_t value) { row.sizes.emplace_back(symbol, value); });
  };
  if (!s.batch.empty()) add_symbol("--batch", batch_symbol(runnable.inputs()), s.batch);
  for (const std::string& text : s.dims) {
    const NamedValue dim = parse_named("--dim", text);
    add_symbol("--dim", dim.name, dim.value);
  }
  std::vector<int64_t> threads{0};
  if (!s.thread_list.empty()) threads = parse_counts("--threads", s.thread_list);
  constexpr int64_t kMostThreads = 256;
  if (std::ranges::max(threads) > kMostThreads)
    fail("E0002", {}, fmt::format("--threads: {} is above {}", std::ranges::max(threads), kMostThreads));
  multiply(rows, threads, [](BenchRow& row, int64_t value) { row.threads = static_cast<uint32_t>(value); });
  return rows;
}

std::vector<HostTensor> row_inputs(const Runnable& runnable, const BenchRow& row, const BenchSettings& s) {
  std::map<std::string, int64_t> sizes(row.sizes.begin(), row.sizes.end());
  return make_inputs(runnable.inputs(),
                     {.inputs = s.inputs, .sizes = std::move(sizes), .recording_name = {}, .prefix = {}});
}

void run_row(Runnable& runnable, const BenchSettings& s, double seconds, BenchRow& row, bool is_warming) {
  sunmao_set_threads(row.threads);
  const std::vector<HostTensor> inputs = row_inputs(runnable, row, s);
  runnable.run(inputs);  // with new sizes, a layout is made
  const Clock::time_point begin = Clock::now();
  do {
    const Clock::time_point one = Clock::now();
    runnable.run(inputs);
    if (!is_warming) row.seconds.push_back(seconds_since(one));
  } while (seconds_since(begin) < seconds);
  row.threads_used = sunmao_model_threads(runnable.model());
}

int bench_model(const BenchSettings& s) {
  const std::unique_ptr<Runnable> runnable = open_model(s, {s.output});
  std::vector<BenchRow> rows = rows_of(s, *runnable);
  {
    ProgressLine progress;
    for (BenchRow& row : rows) run_row(*runnable, s, kWarmSeconds, row, true);
    for (size_t i = 0; i < kRounds * rows.size(); ++i) {
      progress.show("rounds", i, kRounds * rows.size());
      run_row(*runnable, s, s.seconds / kRounds, rows[i % rows.size()], false);
    }
  }
  const BenchMachine machine{.build = fmt::format("sunmao {}", kVersion),
                             .processor = processor_name(),
                             .isa = sunmao_model_isa(runnable->model())};
  const std::string text = bench_text(rows, machine, s.format);
  if (s.output.empty()) {
    write_out(text);
  } else {
    write_or_fail(s.output, {io::Bytes::borrowed(std::as_bytes(std::span(text)))});
  }
  return kSuccess;
}

}  // namespace

Command add_bench(CLI::App& app) {
  auto s = std::make_shared<BenchSettings>();
  CLI::App* c = app.add_subcommand("bench", "Time a model at several sizes and numbers of threads");
  c->footer(kBenchExamples);
  add_source_options(*c, *s);
  c->add_option("--batch", s->batch, "sizes of the first symbolic dimension: 1,8 or 1..64*2")->type_name("LIST");
  add_repeated(*c, "--dim", s->dims,
               "sizes of a symbolic dimension: seq=32,128 or seq=32..128:32 (in steps) or seq=1..64*2\n"
               "(doubling); all combinations are timed")
      ->type_name("NAME=LIST");
  c->add_option("--threads", s->thread_list, "numbers of threads: 1,2; default: as many as the process may use")
      ->type_name("LIST");
  add_decimal(*c, "--seconds", s->seconds, {.least = 0.001, .greatest = 3600}, "how long each row runs; default: 1")
      ->type_name("N");
  c->add_option("--format", s->format, "text, md, csv or json")->check(CLI::IsMember({"text", "md", "csv", "json"}));
  c->add_option("-o,--output", s->output, "where the table goes; default: standard output")->type_name("FILE");
  return {c, [s] { return bench_model(*s); }};
}

}  // namespace sunmao::cli
