// Measures what a profile costs: runs of an artifact with and without one, by turns. The fastest run of a turn counts,
// which other work on the machine disturbs least. The cost is the median over pairs of turns, and `interval` holds it
// with 95 % probability. `us_off` and `us_on` are of the fastest runs of all turns.
//
//   bench_profile ARTIFACT ...      prints one line of JSON per artifact
#include <fmt/format.h>
#include <sunmao/runtime.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "compiler/runtime_handles.h"
#include "support/array.h"
#include "support/diagnostic.h"

namespace {

using namespace sunmao;

constexpr int kTurns = 100;            // with a profile, and as many without
constexpr double kTurnSeconds = 0.05;  // a turn has as many runs as fit, and one at least
// Order statistics of kTurns values between which their median lies with 95 % probability, by the sign test.
constexpr size_t kLow = 39, kHigh = 60;

// Zeros for every input of a function; symbols are as small as they may be, from 1.
class Inputs {
 public:
  Inputs(const sunmao_model* model, size_t function) {
    sunmao_value_info info;
    for (size_t i = 0; sunmao_input_info(model, function, i, &info) == 0; ++i) {
      std::vector<int64_t>& shape = *shapes_.emplace_back(std::make_unique<std::vector<int64_t>>());
      for (int32_t d = 0; d < info.ndim; ++d)
        shape.push_back(info.dims[d].symbol ? std::max<int64_t>(info.dims[d].minimum, 1) : info.dims[d].size);
      const DType dtype{static_cast<TypeCode>(info.dtype.code), info.dtype.bits, info.dtype.lanes};
      ArrayBuilder& data = *data_.emplace_back(std::make_unique<ArrayBuilder>(dtype, shape));
      std::fill_n(data.data(), dtype.bytes_of(data.count()), std::byte{0});
      views_.push_back(
          {.data = data.data(), .device = {kDLCPU, 0}, .ndim = info.ndim, .dtype = info.dtype, .shape = shape.data()});
    }
  }
  const std::vector<DLTensor>& views() const { return views_; }

 private:
  std::vector<std::unique_ptr<std::vector<int64_t>>> shapes_;
  std::vector<std::unique_ptr<ArrayBuilder>> data_;
  std::vector<DLTensor> views_;
};

class Runner {
 public:
  explicit Runner(const std::string& path)
      : model_(load_model(path, SUNMAO_LOAD_OPTIONS_INIT)), session_(create_session(model_)),
        function_(static_cast<size_t>(std::max<int64_t>(sunmao_find_function(model_.get(), "main"), 0))),
        inputs_(model_.get(), function_), outputs_(sunmao_output_count(model_.get(), function_)) {}

  // Returns the seconds of the fastest run of a turn.
  double turn() {
    double spent = 0, best = std::numeric_limits<double>::infinity();
    while (spent < kTurnSeconds) {
      const auto begin = std::chrono::steady_clock::now();
      run();
      const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      best = std::min(best, took);
      spent += took;
    }
    return best;
  }
  double profiled_turn() {
    sunmao_error error;
    if (sunmao_profile_start(session_.get(), nullptr, &error)) fail_with(error);
    const double best = turn();
    if (sunmao_profile_stop(session_.get(), &error)) fail_with(error);
    return best;
  }
  double calls_a_run() const {
    sunmao_profile_info info{};
    sunmao_profile_record record;
    uint64_t calls = 0;
    if (sunmao_profile_get_info(session_.get(), &info) != 0) return 0;
    for (size_t i = 0; sunmao_profile_get_record(session_.get(), i, &record) == 0; ++i) calls += record.calls;
    return static_cast<double>(calls) / static_cast<double>(info.runs);
  }

 private:
  void run() {
    std::ranges::fill(outputs_, DLTensor{});
    sunmao_error error;
    if (sunmao_run(session_.get(), sunmao_function_name(model_.get(), function_), inputs_.views().data(),
                   inputs_.views().size(), outputs_.data(), outputs_.size(), &error))
      fail_with(error);
  }

  const ModelHandle model_;
  const SessionHandle session_;
  const size_t function_;
  const Inputs inputs_;
  std::vector<DLTensor> outputs_;
};

void measure(const std::string& path) {
  Runner runner(path);
  double off = std::numeric_limits<double>::infinity(), on = off;
  std::vector<double> costs;  // percent
  for (int i = 0; i < kTurns; ++i) {
    const double without = runner.turn(), with = runner.profiled_turn();
    off = std::min(off, without);
    on = std::min(on, with);
    costs.push_back(100 * (with / without - 1));
  }
  std::ranges::sort(costs);
  fmt::print(
      "{{\"artifact\":\"{}\",\"calls\":{},\"us_off\":{:.3f},\"us_on\":{:.3f},\"overhead_percent\":{:.2f},"
      "\"interval\":[{:.2f},{:.2f}]}}\n",
      path, runner.calls_a_run(), 1e6 * off, 1e6 * on, (costs[kTurns / 2 - 1] + costs[kTurns / 2]) / 2, costs[kLow],
      costs[kHigh]);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) measure(argv[i]);
  } catch (const UserError& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}
