#include "compiler/model_profile.h"

#include <algorithm>
#include <map>

#include "compiler/manifest_count.h"
#include "compiler/runtime_handles.h"
#include "io/json_writer.h"
#include "passes/analysis/kernel_work.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// The shares of their limits that kernels of a family are expected to reach.
struct Expectation {
  const char* family;
  double arithmetic, moving;
};
constexpr Expectation kExpected[] = {{"contraction", 0.80, 0.60},
                                     {"window", 0.65, 0.60},
                                     {"row", 0.60, 0.60},
                                     {"map", 0.50, 0.60},
                                     {"scan", 0.40, 0.60}};

/// Evaluates a count of a kernel, whose sizes are `d0`, `d1` and so on.
std::optional<double> count_of_call(const io::JsonValue& count, std::span<const int64_t> dims) {
  return count_of(count, [&](std::string_view name) -> std::optional<int64_t> {
    for (size_t i = 0; i < dims.size(); ++i)
      if (name == fmt::format("d{}", i)) return dims[i];
    return std::nullopt;
  });
}

void add_work(std::optional<double>& total, const std::optional<double>& one, uint64_t calls) {
  total = total && one ? std::optional(*total + *one * static_cast<double>(calls)) : std::nullopt;
}

/// Adds the operations of `calls` calls by what they are on; they are absent from the first call on that does not tell.
void add_flops_on(KernelTime& kernel, const io::JsonValue& counts, std::span<const int64_t> dims, uint64_t calls) {
  if (!kernel.flops_on) return;
  bool is_told = counts.exists() || kernel.flops == 0;
  for (const io::JsonMember entry : counts.members()) {
    const std::optional<double> count = count_of_call(entry.value, dims);
    is_told = is_told && count;
    (*kernel.flops_on)[std::string(entry.key)] += count.value_or(0) * static_cast<double>(calls);
  }
  if (!is_told) kernel.flops_on.reset();
}

double seconds_of(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

class ProfileReader {
 public:
  ProfileReader(const sunmao_model* model, const sunmao_session* session)
      : session_(session), manifest_(manifest_of(model)) {
    for (const io::JsonValue kernel : manifest_.root()["kernels"].elements())
      facts_.emplace(kernel["name"].as_string().value_or(""), kernel);
    profile_.isa = sunmao_model_isa(model);
    profile_.threads = sunmao_model_threads(model);
  }

  ModelProfile read() {
    sunmao_profile_info info;
    SUNMAO_CHECK(sunmao_profile_get_info(session_, &info) == 0, "the session has a profile");
    profile_.runs = info.runs;
    profile_.seconds = seconds_of(info.nanoseconds);
    profile_.lost_calls = info.lost_calls;
    sunmao_profile_record record;
    for (size_t i = 0; sunmao_profile_get_record(session_, i, &record) == 0; ++i) add(record);
    for (auto& [name, kernel] : kernels_) {
      std::ranges::stable_sort(kernel.places, std::greater(), &KernelPlace::seconds);
      profile_.kernels.push_back(std::move(kernel));
    }
    std::ranges::stable_sort(profile_.kernels, std::greater(), &KernelTime::seconds);
    return std::move(profile_);
  }

 private:
  void add(const sunmao_profile_record& r) {
    auto [known, is_new] = kernels_.try_emplace(r.kernel);
    KernelTime& kernel = known->second;
    const io::JsonValue facts = facts_.contains(r.kernel) ? facts_.at(r.kernel) : io::JsonValue();
    const double seconds = seconds_of(r.nanoseconds), fastest = seconds_of(r.fastest);
    if (is_new)
      kernel = {.name = r.kernel,
                .family = std::string(facts["family"].as_string().value_or("")),
                .fastest = fastest,
                .flops = 0,
                .bytes = 0,
                .flops_on = std::map<std::string, double>(),
                .places = {}};
    kernel.calls += r.calls;
    kernel.seconds += seconds;
    kernel.fastest = std::min(kernel.fastest, fastest);
    const std::span<const int64_t> dims(r.dims, r.dim_count);
    add_work(kernel.flops, count_of_call(facts["flops"], dims), r.calls);
    add_work(kernel.bytes, count_of_call(facts["bytes"], dims), r.calls);
    add_flops_on(kernel, facts["flops_on"], dims, r.calls);
    KernelPlace& place = place_of(kernel, r);
    place.calls += r.calls;
    place.seconds += seconds;
  }

  // Returns the entry of the record's place, which has other entries with other sizes.
  KernelPlace& place_of(KernelTime& kernel, const sunmao_profile_record& r) {
    const auto [known, is_new] = places_.try_emplace({r.function, r.call}, kernel.places.size());
    if (is_new) {
      const io::JsonValue origin = manifest_.root()["calls"][r.function][r.call];
      const auto text = [&](const char* key) { return std::string(origin[key].as_string().value_or("")); };
      kernel.places.push_back({r.function, r.call, text("node"), text("module"), text("line")});
    }
    return kernel.places[known->second];
  }

  const sunmao_session* session_;
  io::JsonDocument manifest_;
  std::map<std::string, io::JsonValue, std::less<>> facts_;
  std::map<std::string, KernelTime> kernels_;
  std::map<std::pair<std::string, size_t>, size_t> places_;  // function and call to the index in its kernel's places
  ModelProfile profile_;
};

/// The seconds that the arithmetic of a kernel takes at the machine's peaks.
struct Computing {
  double on_bytes = 0, on_pairs = 0, other = 0;

  double seconds() const { return on_bytes + on_pairs + other; }
  Limit limit() const {
    constexpr double kWorthTelling = 0.1;
    const auto is_all = [&](double part) { return seconds() - part <= kWorthTelling * seconds(); };
    if (is_all(other)) return Limit::Arithmetic;
    return is_all(on_bytes) ? Limit::Int8 : is_all(on_pairs) ? Limit::BFloat16 : Limit::Mixed;
  }
};

Computing computing_of(const KernelTime& kernel, const MachinePeak& peak) {
  const auto flops_on = [&](Numbers numbers) {
    if (!kernel.flops_on) return 0.0;
    const auto found = kernel.flops_on->find(name_of(numbers));
    return found == kernel.flops_on->end() ? 0.0 : found->second;
  };
  const double on_bytes = flops_on(Numbers::Int8), on_pairs = flops_on(Numbers::BFloat16);
  return {on_bytes / peak.int8_flops, on_pairs / peak.bfloat16_flops,
          (*kernel.flops - on_bytes - on_pairs) / peak.flops};
}

void write_rate(io::JsonWriter& w, const char* key, const std::optional<double>& work, double seconds) {
  if (work && seconds > 0) w.key(key).value(*work / seconds * 1e-9);
}

void write_places(io::JsonWriter& w, const std::vector<KernelPlace>& places) {
  w.key("places").begin_array();
  for (const KernelPlace& p : places) {
    w.begin_object().key("function").value(p.function).key("call").value(p.call);
    for (const auto& [key, text] :
         {std::pair("node", &p.node), std::pair("module", &p.module), std::pair("line", &p.line)})
      if (!text->empty()) w.key(key).value(*text);
    w.key("calls").value(p.calls).key("seconds").value(p.seconds).end_object();
  }
  w.end_array();
}

void write_kernel_time(io::JsonWriter& w, const KernelTime& k, const ModelProfile& profile, const MachinePeak& peak) {
  w.begin_object().key("name").value(k.name).key("family").value(k.family.empty() ? "other" : k.family.c_str());
  w.key("calls").value(k.calls).key("seconds").value(k.seconds).key("seconds_fastest").value(k.fastest);
  w.key("share").value(profile.seconds > 0 ? k.seconds / profile.seconds : 0);
  if (k.flops) w.key("flops").value(*k.flops);
  if (k.bytes) w.key("bytes").value(*k.bytes);
  if (k.flops_on) {
    w.key("flops_on").begin_object();
    for (const auto& [numbers, flops] : *k.flops_on) w.key(numbers).value(flops);
    w.end_object();
  }
  write_rate(w, "gflops", k.flops, k.seconds);
  write_rate(w, "gb_s", k.bytes, k.seconds);
  if (const std::optional<Attained> a = attained(k, peak)) {
    w.key("limit").value(name_of(a->limit)).key("share_of_limit").value(a->share);
    if (a->expected > 0)
      w.key("expected_share").value(a->expected).key("share_of_expected").value(a->share / a->expected);
  }
  write_places(w, k.places);
  w.end_object();
}

}  // namespace

double ModelProfile::kernel_seconds() const {
  double sum = 0;
  for (const KernelTime& k : kernels) sum += k.seconds;
  return sum;
}

ModelProfile read_profile(const sunmao_model* model, const sunmao_session* session) {
  return ProfileReader(model, session).read();
}

const char* name_of(Limit limit) {
  switch (limit) {
    case Limit::Arithmetic: return "arithmetic";
    case Limit::Int8: return "int8";
    case Limit::BFloat16: return "bfloat16";
    case Limit::Mixed: return "mixed";
    case Limit::Memory: return "memory";
    case Limit::Cache: return "cache";
  }
  return "arithmetic";
}

std::optional<Attained> attained(const KernelTime& kernel, const MachinePeak& peak) {
  if (!kernel.flops || !kernel.bytes || kernel.seconds <= 0) return std::nullopt;
  const Computing computing = computing_of(kernel, peak);
  const bool is_cached = *kernel.bytes <= static_cast<double>(peak.cache_size) * static_cast<double>(kernel.calls);
  const double moving = *kernel.bytes / (is_cached ? peak.cache_bytes : peak.bytes);
  if (computing.seconds() + moving <= 0) return std::nullopt;
  const bool computes = computing.seconds() >= moving;
  const Limit limit = computes ? computing.limit() : is_cached ? Limit::Cache : Limit::Memory;
  double expected = 0;
  for (const Expectation& e : kExpected)
    if (kernel.family == e.family) expected = computes ? e.arithmetic : e.moving;
  return Attained{limit, std::max(computing.seconds(), moving) / kernel.seconds, expected};
}

std::string profile_json(const ModelProfile& profile, const MachinePeak& peak) {
  io::JsonWriter w({.indent = 2});
  w.begin_object().key("isa").value(profile.isa).key("threads").value(profile.threads);
  w.key("runs").value(profile.runs).key("seconds").value(profile.seconds);
  w.key("seconds_in_kernels").value(profile.kernel_seconds());
  w.key("seconds_outside").value(profile.seconds - profile.kernel_seconds());
  w.key("peak").begin_object().key("gflops").value(peak.flops * 1e-9);
  w.key("int8_gflops").value(peak.int8_flops * 1e-9).key("bfloat16_gflops").value(peak.bfloat16_flops * 1e-9);
  w.key("gb_s").value(peak.bytes * 1e-9);
  w.key("cache_gb_s").value(peak.cache_bytes * 1e-9).key("cache_bytes").value(peak.cache_size).end_object();
  if (profile.lost_calls > 0) w.key("lost_calls").value(profile.lost_calls);
  w.key("kernels").begin_array();
  for (const KernelTime& k : profile.kernels) write_kernel_time(w, k, profile, peak);
  return w.end_array().end_object().take() + "\n";
}

}  // namespace sunmao
