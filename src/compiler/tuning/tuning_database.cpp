#include "compiler/tuning/tuning_database.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <system_error>

#include "compiler/tensor_file.h"
#include "io/json.h"
#include "io/json_writer.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

/// Rounds what is written to digits that a measurement has.
double rounded(double value, double parts) { return std::round(value * parts) / parts; }

void write_texts(io::JsonWriter& w, const char* key, const std::vector<std::string>& texts) {
  w.key(key).begin_array();
  for (const std::string& text : texts) w.value(text);
  w.end_array();
}

void write_ratio(io::JsonWriter& w, const char* key, const RatioInterval& ratio) {
  constexpr double kPlaces = 1e4;
  w.key(key).begin_array();
  for (const double value : {ratio.low, ratio.median, ratio.high}) w.value(rounded(value, kPlaces));
  w.end_array();
}

std::string line_of(const TuningEntry& e) {
  constexpr double kNanoseconds = 1e9;
  io::JsonWriter w;
  w.begin_object().key("kernel").value(e.kernel).key("target").value(e.target).key("machine").value(e.machine);
  w.key("name").value(e.name);
  write_texts(w, "first", e.first);
  write_texts(w, "plans", e.plans);
  w.key("used").value(e.is_used).key("seconds").value(rounded(e.seconds, kNanoseconds));
  w.key("times").begin_array();
  for (const PlanTimes& t : e.times) {
    w.begin_object();
    write_texts(w, "plans", t.plans);
    w.key("seconds").value(rounded(t.seconds, kNanoseconds));
    write_ratio(w, "ratio", t.ratio);
    w.key("rounds").value(t.rounds).end_object();
  }
  w.end_array();
  if (e.model) write_ratio(w, "model", *e.model);
  return w.end_object().take();
}

/// Reads the fields of an entry; the first one that is missing or of another kind makes it none.
class EntryReader {
 public:
  explicit EntryReader(const io::JsonValue& line) : line_(line) {}

  /// Returns what is wrong; empty for an entry.
  std::string read(TuningEntry& out) {
    if (!line_.is_object()) return "it is no JSON object";
    out.kernel = text(line_, "kernel");
    out.target = text(line_, "target");
    out.machine = text(line_, "machine");
    out.name = line_["name"].as_string().value_or("");
    out.first = texts(line_, "first");
    out.plans = texts(line_, "plans");
    out.is_used = line_["used"].as_bool().value_or(true);
    out.seconds = line_["seconds"].as_double().value_or(0);
    for (const io::JsonValue& t : line_["times"].elements())
      out.times.push_back(
          {texts(t, "plans"), number(t, "seconds"), ratio(t, "ratio"), t["rounds"].as_int().value_or(0)});
    if (line_["model"].exists()) out.model = ratio(line_, "model");
    return wrong_;
  }

 private:
  void expect(bool is_right, const char* key, const char* kind) {
    if (!is_right && wrong_.empty()) wrong_ = fmt::format("`{}` is no {}", key, kind);
  }
  std::string text(const io::JsonValue& at, const char* key) {
    const std::optional<std::string_view> value = at[key].as_string();
    expect(value && !value->empty(), key, "text");
    return std::string(value.value_or(""));
  }
  double number(const io::JsonValue& at, const char* key) {
    const std::optional<double> value = at[key].as_double();
    expect(value.has_value(), key, "number");
    return value.value_or(0);
  }
  std::vector<std::string> texts(const io::JsonValue& at, const char* key) {
    std::vector<std::string> out;
    expect(at[key].is_array(), key, "list of texts");
    for (const io::JsonValue& item : at[key].elements()) {
      expect(item.is_string(), key, "list of texts");
      out.emplace_back(item.as_string().value_or(""));
    }
    return out;
  }
  RatioInterval ratio(const io::JsonValue& at, const char* key) {
    const io::JsonValue value = at[key];
    expect(value.size() == 3 && value[size_t{0}].as_double() && value[1].as_double() && value[2].as_double(), key,
           "list of three numbers");
    return {value[size_t{0}].as_double().value_or(1), value[1].as_double().value_or(1),
            value[2].as_double().value_or(1)};
  }

  const io::JsonValue line_;
  std::string wrong_;
};

}  // namespace

TuningDatabase TuningDatabase::parse(std::string_view text, const std::string& name) {
  TuningDatabase out;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const bool is_whole = end != std::string_view::npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(is_whole ? end + 1 : text.size());
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const io::Result<io::JsonDocument> document = io::JsonDocument::parse(line);
    TuningEntry entry;
    const std::string wrong =
        document.ok() ? EntryReader(document->root()).read(entry) : std::string(document.status().message());
    if (wrong.empty()) {
      out.add(std::move(entry));
    } else if (is_whole || !line.starts_with('{')) {
      fail("E0548", {}, fmt::format("`{}`, line {}: expected an entry of a tuning database: {}", name, number, wrong),
           "a line is what `sunmao tune` writes; remove this one, or give another file");
    }
  }
  return out;
}

TuningDatabase TuningDatabase::read(const std::filesystem::path& path) {
  const io::Bytes file = map_or_fail(path);
  return parse({static_cast<const char*>(static_cast<const void*>(file.data())), file.size()}, path.string());
}

TuningDatabase TuningDatabase::read_if_there(const std::filesystem::path& path) {
  std::error_code unknown;  // reading says what is wrong with other paths
  return std::filesystem::exists(path, unknown) || unknown ? read(path) : TuningDatabase();
}

void TuningDatabase::write(const std::filesystem::path& path) const {
  const std::string all = text();
  write_or_fail(path, {io::Bytes::borrowed(std::as_bytes(std::span(all)))});
}

const TuningEntry* TuningDatabase::find(const std::string& kernel, const std::string& target,
                                        const std::string& machine) const {
  const auto found = std::ranges::find_if(
      entries_, [&](const TuningEntry& e) { return e.kernel == kernel && e.target == target && e.machine == machine; });
  return found == entries_.end() ? nullptr : &*found;
}

void TuningDatabase::add(TuningEntry entry) {
  std::erase_if(entries_, [&](const TuningEntry& e) {
    return e.kernel == entry.kernel && e.target == entry.target && e.machine == entry.machine;
  });
  entries_.push_back(std::move(entry));
}

TunedPlans TuningDatabase::plans() const {
  TunedPlans out;
  for (const TuningEntry& e : entries_) {
    if (e.is_tuned() && e.is_used)
      out[e.kernel][e.target] = e.plans;
    else if (const auto known = out.find(e.kernel); known != out.end() && known->second.erase(e.target) > 0)
      if (known->second.empty()) out.erase(known);
  }
  return out;
}

std::string TuningDatabase::text() const {
  std::string out;
  for (const TuningEntry& e : entries_) out += line_of(e) + "\n";
  return out;
}

}  // namespace sunmao
