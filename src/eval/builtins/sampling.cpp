// Builtins that draw a token by its probability, or change logits before that.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/builtins/builtin.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Below this temperature the likeliest token is drawn.
constexpr double kColdest = 1e-6;

struct Candidate {
  double weight;
  int64_t token;
};

std::span<const float> floats(const BuiltinCall& call, size_t i) {
  const Array& x = call.array(i);
  if (x.dtype() != DType::float_(32) || x.rank() == 0 || x.count() == 0) call.wrong(i, "float32 values along an axis");
  return x.as<float>();
}

// Returns the values of argument 0, of which all axes but the last have length 1.
std::span<const float> row(const BuiltinCall& call) {
  const std::span<const float> values = floats(call, 0);
  if (std::ssize(values) != call.array(0).shape().back()) call.wrong(0, "one row of float32 values");
  return values;
}

// Returns the candidates, the likeliest first; those of equal weight in their order. NaN counts as unlikely.
std::vector<Candidate> sorted(std::span<const float> weights) {
  std::vector<Candidate> out;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double weight = weights[i];
    out.push_back({std::isnan(weight) ? -INFINITY : weight, static_cast<int64_t>(i)});
  }
  std::ranges::stable_sort(out, std::greater<>(), &Candidate::weight);
  return out;
}

// Draws among the likeliest candidates whose probabilities together reach `top_p`.
int64_t draw(std::vector<Candidate> candidates, double top_p, double uniform) {
  double sum = 0;
  size_t count = 0;
  while (count < candidates.size() && (count == 0 || sum < top_p)) sum += candidates[count++].weight;
  double before = 0;
  for (size_t i = 0; i < count; ++i) {
    before += candidates[i].weight;
    if (uniform * sum < before) return candidates[i].token;
  }
  return candidates[count - 1].token;
}

// Arguments: logits, the temperature, top-p, a number from 0 to 1.
Value sample_from_logits(const BuiltinCall& call) {
  std::vector<Candidate> candidates = sorted(row(call));
  const double temperature = call.number(1), top_p = call.number(2), uniform = call.number(3);
  if (temperature < kColdest) return candidates[0].token;
  const double highest = candidates[0].weight;
  double sum = 0;
  for (Candidate& c : candidates) sum += c.weight = std::exp((c.weight - highest) / temperature);
  if (!std::isfinite(sum)) call.fail_with("no logit is a finite number");
  for (Candidate& c : candidates) c.weight /= sum;
  return draw(std::move(candidates), top_p, uniform);
}

// Arguments: probabilities, top-p, a number from 0 to 1.
Value sample_from_probabilities(const BuiltinCall& call) {
  std::vector<Candidate> candidates = sorted(row(call));
  if (!std::isfinite(candidates[0].weight)) call.fail_with("no probability is a finite number");
  return draw(std::move(candidates), call.number(1), call.number(2));
}

// Arguments: a row of probabilities for each draw, a number from 0 to 1 for each.
Value multinomial(const BuiltinCall& call) {
  const std::span<const float> probabilities = floats(call, 0), uniform = floats(call, 1);
  const int64_t tokens = call.array(0).shape().back(), rows = std::ssize(probabilities) / tokens;
  if (std::ssize(uniform) != rows) call.wrong(1, "as many numbers as there are rows of probabilities");
  std::vector<int64_t> drawn;
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    int64_t token = 0;
    for (; token < tokens; ++token) {
      sum += probabilities[static_cast<size_t>(r * tokens + token)];
      if (sum > uniform[static_cast<size_t>(r)]) break;
    }
    drawn.push_back(std::min(token, tokens - 1));
  }
  return Array::from_ints({rows, 1}, drawn);
}

// The logits of argument 0, which the function changes in place.
std::span<float> logits_in_place(const BuiltinCall& call) {
  const std::span<const float> values = floats(call, 0);
  return {static_cast<float*>(static_cast<void*>(call.writable(0))), values.size()};
}

// Returns argument `i`, int32 values.
std::span<const int32_t> ints(const BuiltinCall& call, size_t i) {
  const Array& x = call.array(i);
  if (x.dtype() != DType::int_(32)) call.wrong(i, "int32 values");
  return x.as<int32_t>();
}

// Returns argument 1, numbers of tokens that `count` logits have.
std::span<const int32_t> tokens_of(const BuiltinCall& call, size_t count) {
  const std::span<const int32_t> tokens = ints(call, 1);
  for (const int32_t t : tokens)
    if (t < 0 || static_cast<size_t>(t) >= count)
      call.fail_with(fmt::format("there is no token {} among {}", t, count));
  return tokens;
}

// Arguments: logits, tokens that have appeared, a factor.
Value repetition_penalty(const BuiltinCall& call) {
  const std::span<float> logits = logits_in_place(call);
  const double penalty = call.number(2);
  for (const int32_t t : tokens_of(call, logits.size())) {
    float& logit = logits[static_cast<size_t>(t)];
    logit = static_cast<float>(logit <= 0 ? logit * penalty : logit / penalty);
  }
  return ValueTuple();
}

// Arguments: logits, tokens that have appeared, how often, a penalty for each token, one for each appearance.
Value frequency_penalty(const BuiltinCall& call) {
  const std::span<float> logits = logits_in_place(call);
  const std::span<const int32_t> tokens = tokens_of(call, logits.size()), times = ints(call, 2);
  if (times.size() != tokens.size()) call.wrong(2, "a number for each token");
  const double once = call.number(3), each = call.number(4);
  for (size_t i = 0; i < tokens.size(); ++i) {
    float& logit = logits[static_cast<size_t>(tokens[i])];
    logit = static_cast<float>(logit - (times[i] * each + once));
  }
  return ValueTuple();
}

// Arguments: logits, which become probabilities, and the temperature.
Value softmax(const BuiltinCall& call) {
  const std::span<float> logits = logits_in_place(call);
  const double temperature = call.number(1);
  if (!(temperature > 0)) call.wrong(1, "a temperature above 0");
  const double highest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float x : logits) sum += std::exp((x - highest) / temperature);
  for (float& x : logits) x = static_cast<float>(std::exp((x - highest) / temperature) / sum);
  return ValueTuple();
}

}  // namespace

std::span<const Builtin> sampling_builtins() {
  static constexpr Builtin kTable[] = {
      {"vm.builtin.sample_top_p_from_logits", sample_from_logits},
      {"vm.builtin.sample_top_p_from_prob", sample_from_probabilities},
      {"vm.builtin.multinomial_from_uniform", multinomial},
      {"vm.builtin.apply_repetition_penalty", repetition_penalty},
      {"vm.builtin.apply_presence_and_frequency_penalty", frequency_penalty},
      {"vm.builtin.apply_softmax_with_temperature", softmax},
  };
  return kTable;
}

}  // namespace sunmao
