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
    if (take('[')) {
      AttrList list;
      while (!take(']')) {
        list.push_back(value());
        if (!take(',') && !peek(']')) unexpected();
      }
      return list;
    }
    if (take('{')) {
      AttrMap map;
      read_entries(map, ':', '}');
      return map;
    }
    return quoted() ? AttrValue(text_value()) : plain(word());
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
    while (at_ < text_.size() && std::string_view(" ,()[]{}=:'\"").find(text_[at_]) == std::string_view::npos) ++at_;
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
};

std::string text_of_entries(const AttrMap& entries, const char* separator);

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
  if (const AttrMap* map = v.find<AttrMap>()) return "{" + text_of_entries(*map, ": ") + "}";
  const AttrList* list = v.find<AttrList>();
  if (!list) return "";
  std::vector<std::string> parts;
  for (const AttrValue& e : *list) parts.push_back(text_of(e));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string text_of_entries(const AttrMap& entries, const char* separator) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : entries)
    if (std::string text = text_of(value); !text.empty()) parts.push_back(name + separator + text);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string to_text(const PassCall& call) {
  std::string arguments = text_of_entries(call.arguments, "=");
  return arguments.empty() ? call.pass->name : fmt::format("{}({})", call.pass->name, arguments);
}

std::vector<PassCall> parse_pass_calls(std::string_view text, const std::string& where) {
  return PassCallReader(text, where).read();
}

}  // namespace sunmao
