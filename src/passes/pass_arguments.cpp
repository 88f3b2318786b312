#include "passes/pass_arguments.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {

PassArguments::PassArguments(const char* pass, const PassContext& context)
    : pass_(*find_pass(pass)), values_(context.arguments) {}

const AttrValue& PassArguments::get(const char* name) const {
  if (auto it = values_.find(name); it != values_.end()) return it->second;
  auto param = std::ranges::find_if(pass_.params, [&](const PassParam& p) { return std::string_view(p.name) == name; });
  SUNMAO_CHECK(param != pass_.params.end(), "pass {} has no parameter {}", pass_.name, name);
  return param->default_value;
}

void PassArguments::wrong(const char* name, const char* expected) const {
  fail("E0514", {}, fmt::format("{}: `{}` must be {}", pass_.name, name, expected));
}

bool PassArguments::bool_(const char* name) const {
  const AttrValue& v = get(name);
  if (const bool* b = v.find<bool>()) return *b;
  if (const int64_t* i = v.find<int64_t>()) return *i != 0;
  wrong(name, "True or False");
}

int64_t PassArguments::int_(const char* name) const {
  if (const int64_t* i = get(name).find<int64_t>()) return *i;
  wrong(name, "an integer");
}

std::string PassArguments::string(const char* name) const {
  const AttrValue& v = get(name);
  if (v.is_none()) return {};
  if (const std::string* s = v.find<std::string>()) return *s;
  wrong(name, "a string");
}

std::vector<std::string> PassArguments::strings(const char* name) const {
  const AttrValue& v = get(name);
  if (v.is_none()) return {};
  if (const std::string* s = v.find<std::string>()) return {*s};
  const AttrList* list = v.find<AttrList>();
  if (!list) wrong(name, "a list of strings");
  std::vector<std::string> out;
  for (const AttrValue& e : *list) {
    const std::string* s = e.find<std::string>();
    if (!s) wrong(name, "a list of strings");
    out.push_back(*s);
  }
  return out;
}

const AttrMap& PassArguments::map(const char* name) const {
  static const AttrMap none;
  const AttrValue& v = get(name);
  if (v.is_none()) return none;
  if (const AttrMap* map = v.find<AttrMap>()) return *map;
  wrong(name, "a dictionary");
}

PassContext with_arguments(const PassContext& context, const Pass& pass, AttrMap arguments) {
  std::vector<std::string> known;
  for (const PassParam& p : pass.params) known.emplace_back(p.name);
  for (const auto& [name, value] : arguments)
    if (std::ranges::find(known, name) == known.end())
      fail("E0514", {}, fmt::format("{} has no parameter `{}`", pass.name, name),
           known.empty() ? "it takes none" : did_you_mean(name, known));
  PassContext out = context;
  out.arguments = std::move(arguments);
  return out;
}

namespace {

constexpr std::string_view kBounds = " ,()[]{}=:'\"";  // characters that end a word

class PassCallReader {
 public:
  PassCallReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  std::vector<PassCall> read() {
    std::vector<PassCall> calls;
    while (skip_space(), at_ < text_.size()) {
      calls.push_back(read_call());
      if (!take(',')) break;
    }
    if (skip_space(), at_ < text_.size()) unexpected();
    return calls;
  }

 private:
  PassCall read_call() {
    std::string name = word();
    const Pass* pass = find_pass(name);
    if (!pass) {
      std::vector<std::string> known;
      for (const Pass& p : all_passes()) known.emplace_back(p.name);
      fail("E0511", {}, fmt::format("{}: there is no pass `{}`", where_, name), did_you_mean(name, known));
    }
    AttrMap arguments;
    if (take('(')) read_entries(arguments, '=', ')');
    return {pass, with_arguments({}, *pass, std::move(arguments)).arguments};
  }

  void read_entries(AttrMap& into, char separator, char close) {
    while (!take(close)) {
      std::string key = quoted() ? text_value() : word();
      if (!take(separator)) unexpected();
      into[key] = value();
      if (!take(',') && !peek(close)) unexpected();
    }
  }

  AttrValue value() {
    if (peek('[') || peek('{')) return nested_value();
    return quoted() ? AttrValue(text_value()) : plain(word());
  }

  AttrValue nested_value() {
    constexpr int kMaxDepth = 64;
    if (++depth_ > kMaxDepth)
      fail("E0514", {}, fmt::format("{}: lists and dictionaries nest deeper than {}", where_, kMaxDepth));
    AttrList list;
    AttrMap map;
    const bool is_list = take('[');
    if (!is_list && take('{')) read_entries(map, ':', '}');
    while (is_list && !take(']')) {
      list.push_back(value());
      if (!take(',') && !peek(']')) unexpected();
    }
    --depth_;
    return is_list ? AttrValue(std::move(list)) : AttrValue(std::move(map));
  }

  static AttrValue plain(const std::string& w) {
    if (w == "None") return {};
    if (w == "True" || w == "False") return w == "True";
    int64_t i = 0;
    double d = 0;
    const char *begin = w.data(), *end = begin + w.size();
    if (auto r = std::from_chars(begin, end, i); r.ec == std::errc() && r.ptr == end) return i;
    if (auto r = std::from_chars(begin, end, d); r.ec == std::errc() && r.ptr == end) return d;
    return w;
  }

  std::string word() {
    skip_space();
    size_t begin = at_;
    at_ = std::min(text_.find_first_of(kBounds, at_), text_.size());
    if (at_ == begin) unexpected();
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool quoted() { return peek('"') || peek('\''); }
  std::string text_value() {
    size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) unexpected();
    std::string out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool peek(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    bool found = peek(c);
    at_ += found;
    return found;
  }
  [[noreturn]] void unexpected() {
    fail("E0514", {}, fmt::format("{}: cannot read `{}` from column {} on", where_, text_, at_ + 1),
         "write passes as `name` or `name(key=value, …)`, with commas between them");
  }

  const std::string_view text_;
  const std::string& where_;
  size_t at_ = 0;
  int depth_ = 0;
};

bool is_word(const std::string& text) { return !text.empty() && text.find_first_of(kBounds) == std::string::npos; }

// Returns the text of a value; empty when it has no textual form.
std::string text_of(const AttrValue& v) {
  if (v.is_none()) return "None";
  if (const bool* b = v.find<bool>()) return *b ? "True" : "False";
  if (const int64_t* i = v.find<int64_t>()) return std::to_string(*i);
  if (const double* d = v.find<double>()) {
    std::string text = fmt::format("{}", *d);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  if (const std::string* s = v.find<std::string>()) {
    const char quote = s->find('"') == std::string::npos ? '"' : '\'';
    return s->find(quote) == std::string::npos ? quote + *s + quote : "";
  }
  const AttrMap* map = v.find<AttrMap>();
  const AttrList* list = v.find<AttrList>();
  if (!map && !list) return "";
  std::vector<std::string> parts;
  if (list)
    for (const AttrValue& e : *list) parts.push_back(text_of(e));
  else
    for (const auto& [key, e] : *map) {
      const std::string name = is_word(key) ? key : text_of(AttrValue(key)), value = text_of(e);
      parts.push_back(name.empty() || value.empty() ? "" : name + ": " + value);
    }
  if (std::ranges::find(parts, "") != parts.end()) return "";
  return fmt::format(fmt::runtime(list ? "[{}]" : "{{{}}}"), fmt::join(parts, ", "));
}

}  // namespace

std::string to_text(const PassCall& call) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : call.arguments)
    if (std::string text = text_of(value); !text.empty()) arguments.push_back(name + "=" + text);
  return arguments.empty() ? call.pass->name : fmt::format("{}({})", call.pass->name, fmt::join(arguments, ", "));
}

std::vector<PassCall> parse_pass_calls(std::string_view text, const std::string& where) {
  return PassCallReader(text, where).read();
}

}  // namespace sunmao
