#include "compiler/tuning/model_timer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <span>

#include "compiler/runtime_handles.h"

namespace sunmao {
namespace {

constexpr double kSampleSeconds = 0.004;  // shorter ones are mostly noise of the clock and the scheduler
constexpr double kMostRepeats = 1000;

class ModelTimer final : public TimedModel {
 public:
  ModelTimer(io::Bytes artifact, const std::vector<TimedCall>& calls)
      : artifact_(std::move(artifact)), model_(load_model(artifact_, SUNMAO_LOAD_OPTIONS_INIT)),
        session_(create_session(model_)), calls_(calls) {
    for (const TimedCall& call : calls_) {
      const int64_t function = sunmao_find_function(model_.get(), call.function.c_str());
      outputs_.emplace_back(sunmao_output_count(model_.get(), static_cast<size_t>(function)));
    }
    once();  // a layout is made
    const double seconds = std::max(timed(1), kSampleSeconds / kMostRepeats);
    repeats_ = static_cast<int>(std::max(1.0, std::ceil(kSampleSeconds / seconds)));
  }

  double run() override { return timed(repeats_); }

  ModelProfile run_profiled() override {
    sunmao_error error;
    if (sunmao_profile_start(session_.get(), nullptr, &error)) fail_with(error);
    timed(repeats_);
    if (sunmao_profile_stop(session_.get(), &error)) fail_with(error);
    ModelProfile profile = read_profile(model_.get(), session_.get());
    profile.runs /= calls_.size();  // a run makes all calls
    return profile;
  }

 private:
  void once() {
    sunmao_error error;
    for (size_t i = 0; i < calls_.size(); ++i) {
      std::ranges::fill(outputs_[i], DLTensor{});  // null data: allocated by the session
      if (sunmao_run(session_.get(), calls_[i].function.c_str(), calls_[i].inputs.data(), calls_[i].inputs.size(),
                     outputs_[i].data(), outputs_[i].size(), &error))
        fail_with(error);
    }
  }

  double timed(int repeats) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) once();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / repeats;
  }

  const io::Bytes artifact_;
  const ModelHandle model_;
  const SessionHandle session_;
  const std::vector<TimedCall>& calls_;
  std::vector<std::vector<DLTensor>> outputs_;
  int repeats_ = 1;
};

}  // namespace

std::vector<Array> random_inputs(const sunmao_model* model, size_t function) {
  std::minstd_rand draw(1);
  std::vector<Array> out;
  sunmao_value_info info;
  const auto size_of = [](const sunmao_dim& d) { return d.symbol ? std::max<int64_t>(1, d.minimum) : d.size; };
  for (size_t i = 0; sunmao_input_info(model, function, i, &info) == 0; ++i) {
    std::vector<int64_t> shape;
    for (const sunmao_dim& d : std::span(info.dims, static_cast<size_t>(info.ndim))) shape.push_back(size_of(d));
    const DType dtype{static_cast<TypeCode>(info.dtype.code), info.dtype.bits, info.dtype.lanes};
    ArrayBuilder array(dtype, std::move(shape));
    std::ranges::fill(array.as<uint8_t>(), uint8_t{0});
    if (dtype == DType::float_(32))
      for (float& x : array.as<float>()) x = std::uniform_real_distribution<float>(-1, 1)(draw);
    const sunmao_dim* sizes = nullptr;
    const size_t count = sunmao_input_sizes(model, function, i, &sizes);
    for (size_t d = 0; d < count; ++d) array.as<int64_t>()[d] = size_of(sizes[d]);
    out.push_back(std::move(array).finish());
  }
  return out;
}

std::unique_ptr<TimedModel> make_model_timer(io::Bytes artifact, const std::vector<TimedCall>& calls) {
  return std::make_unique<ModelTimer>(std::move(artifact), calls);
}

}  // namespace sunmao
