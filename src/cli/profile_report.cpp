#include "cli/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/console.h"
#include "io/json_writer.h"

namespace sunmao::cli {
namespace {

constexpr size_t kColumns = 82;  // of a row before the kernel's name
constexpr size_t kShortestName = 28, kLongestName = 48, kShortestSource = 12;

// How many columns a row has for the name of a kernel, and for where it comes from.
struct Room {
  size_t name, source;
};

std::string shortened_name(const std::string& name, size_t columns) {
  constexpr size_t kTail = 5;
  if (name.size() <= columns) return name;
  return name.substr(0, columns - kTail - 1) + "…" + name.substr(name.size() - kTail);
}

std::string cut(const std::string& text, size_t columns) {
  size_t count = 0, end = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;  // within a character
    if (count + 1 == columns) end = i;
    if (++count > columns) return text.substr(0, end) + "…";
  }
  return text;
}

// Rows fit into the terminal, if there is one that is wide enough.
Room room_for(std::span<const KernelTime> kernels) {
  size_t longest = 0;
  for (const KernelTime& k : kernels) longest = std::max(longest, k.name.size());
  longest = std::min(longest, kLongestName);
  const size_t width = terminal_width();
  if (width < kColumns + kShortestName + kShortestSource) return {longest, std::string::npos};
  const size_t free = width - kColumns;
  const size_t name = std::min(longest, std::max(kShortestName, free - kShortestName));
  return {name, free - name - 2};
}

std::string source_of(const KernelPlace& p) {
  std::string out = p.module.empty() ? p.node : p.module;
  if (!p.line.empty()) out += out.empty() ? p.line : fmt::format(" ({})", p.line);
  return out;
}

std::string sources_of(const KernelTime& k) {
  const std::string first = k.places.empty() ? "" : source_of(k.places.front());
  return k.places.size() < 2 ? first : fmt::format("{} +{}", first, k.places.size() - 1);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string rate(const std::optional<double>& work, double seconds) {
  return work && *work > 0 && seconds > 0 ? fmt::format("{:.1f}", *work / seconds * 1e-9) : "";
}

const char* short_name(Limit limit) {
  switch (limit) {
    case Limit::Arithmetic: return "fma";
    case Limit::BFloat16: return "bf16";
    case Limit::Memory: return "mem";
    default: return name_of(limit);
  }
}

// Calls a run, which differ between runs of different sizes.
std::string calls_a_run(uint64_t calls, uint64_t runs) {
  return calls % runs == 0 ? fmt::format("{}", calls / runs)
                           : fmt::format("{:.1f}", static_cast<double>(calls) / static_cast<double>(runs));
}

// The share of what a kernel's family is expected to reach, in colour.
std::string expectation(const std::optional<Attained>& a) {
  if (!a || a->expected <= 0) return fmt::format("{:>8}", "");
  const double share = a->share / a->expected;
  const std::string text = fmt::format("{:>6.0f} %", 100 * share);
  return share >= 1 ? green(text) : share < 0.5 ? red(text) : text;
}

std::string row_of(const KernelTime& k, const ModelProfile& profile, const MachinePeak& peak, const Room& room) {
  const std::optional<Attained> a = attained(k, peak);
  const std::string limit = a ? fmt::format("{:.0f} % {}", 100 * a->share, short_name(a->limit)) : "";
  return fmt::format("{:>7}  {:>9}  {:>5}  {:>8}  {:>7}  {:>11}  {}  {:<11}  {:<{}}  {}\n",
                     percent(k.seconds / profile.seconds), duration(k.seconds / static_cast<double>(profile.runs)),
                     calls_a_run(k.calls, profile.runs), rate(k.flops, k.seconds), rate(k.bytes, k.seconds), limit,
                     expectation(a), k.family, shortened_name(k.name, room.name), room.name,
                     dim(cut(sources_of(k), room.source)));
}

std::string total_line(const ModelProfile& profile, const std::string& label, double seconds, uint64_t calls,
                       const std::string& rates) {
  return fmt::format("{:>7}  {:>9}  {:>5}  {:<19}{}\n", percent(seconds / profile.seconds),
                     duration(seconds / static_cast<double>(profile.runs)),
                     calls > 0 ? calls_a_run(calls, profile.runs) : "", rates, label);
}

std::string totals(const ModelProfile& profile) {
  std::optional<double> flops = 0, bytes = 0;
  uint64_t calls = 0;
  for (const KernelTime& k : profile.kernels) {
    calls += k.calls;
    flops = flops && k.flops ? std::optional(*flops + *k.flops) : std::nullopt;
    bytes = bytes && k.bytes ? std::optional(*bytes + *k.bytes) : std::nullopt;
  }
  const double seconds = profile.kernel_seconds();
  const std::string rates = fmt::format("{:>8}  {:>7}  ", rate(flops, seconds), rate(bytes, seconds));
  return total_line(profile, fmt::format("in {} kernels", profile.kernels.size()), seconds, calls, rates) +
         total_line(profile, "outside of kernels", profile.seconds - seconds, 0, "");
}

// Trace events are microseconds.
double microseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

void write_event(io::JsonWriter& w, const sunmao_profile_event& event, const std::string& name, const char* category) {
  w.begin_object().key("name").value(name).key("cat").value(category).key("ph").value("X");
  w.key("ts").value(microseconds(event.begin)).key("dur").value(microseconds(event.nanoseconds));
  w.key("pid").value(1).key("tid").value(1);
}

}  // namespace

std::string profile_table(const ModelProfile& profile, const MachinePeak& peak, size_t shown) {
  const size_t rows = shown > 0 ? std::min(shown, profile.kernels.size()) : profile.kernels.size();
  std::string out =
      bold(fmt::format("{:>7}  {:>9}  {:>5}  {:>8}  {:>7}  {:>11}  {:>8}  {:<11}  {}", "share", "time", "calls",
                       "GFLOP/s", "GB/s", "of limit", "expected", "family", "kernel, and where it comes from")) +
      "\n";
  const std::span<const KernelTime> kernels = std::span(profile.kernels).first(rows);
  const Room room = room_for(kernels);
  for (const KernelTime& k : kernels) out += row_of(k, profile, peak, room);
  if (const size_t more = profile.kernels.size() - rows; more > 0)
    out += dim(fmt::format("{:>7}  {} more kernel{}", "", more, more == 1 ? "" : "s")) + "\n";
  out += totals(profile);
  const double run = profile.seconds / static_cast<double>(profile.runs);
  const auto plural = [](uint64_t n) { return n == 1 ? "" : "s"; };
  out += dim(fmt::format(
             "{} run{} of {}; code for {}, {} thread{}; limits measured: {:.0f} GFLOP/s, {:.0f} of int8, {:.0f} of "
             "bfloat16, {:.1f} GB/s from memory, {:.1f} from caches",
             profile.runs, plural(profile.runs), duration(run), profile.isa, profile.threads, plural(profile.threads),
             peak.flops * 1e-9, peak.int8_flops * 1e-9, peak.bfloat16_flops * 1e-9, peak.bytes * 1e-9,
             peak.cache_bytes * 1e-9)) +
         "\n";
  if (profile.lost_calls > 0)
    out += fmt::format("{} calls are not in the table: there are too many different sizes\n", profile.lost_calls);
  return out;
}

std::string profile_trace(const sunmao_session* session, const ModelProfile& profile) {
  std::map<std::string, const KernelTime*> kernels;
  for (const KernelTime& k : profile.kernels) kernels.emplace(k.name, &k);
  io::JsonWriter w;
  w.begin_object().key("displayTimeUnit").value("ms").key("traceEvents").begin_array();
  sunmao_profile_event event;
  for (size_t i = 0; sunmao_profile_get_event(session, i, &event) == 0; ++i) {
    sunmao_profile_record record;
    if (event.record < 0 || sunmao_profile_get_record(session, static_cast<size_t>(event.record), &record) != 0) {
      write_event(w, event, "run", "run");
      w.end_object();
      continue;
    }
    write_event(w, event, record.kernel, "kernel");
    const KernelTime& kernel = *kernels.at(record.kernel);
    w.key("args").begin_object().key("family").value(kernel.family).key("function").value(record.function);
    w.key("call").value(record.call);
    for (const KernelPlace& p : kernel.places)
      if (p.function == record.function && p.call == record.call) w.key("source").value(source_of(p));
    w.end_object().end_object();
  }
  return w.end_array().end_object().take() + "\n";
}

}  // namespace sunmao::cli
