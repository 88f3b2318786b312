#include "frontend/size_text.h"

#include <charconv>

namespace sunmao {
namespace {

constexpr int kMostNodes = 256, kMostNesting = 32;
constexpr int64_t kMostPower = 8;

class Parser {
 public:
  Parser(std::string_view text, const SizeNames& names) : text_(text), names_(names) {}

  Scalar size() {
    Scalar s = sum();
    return at_end() ? s : nullptr;
  }

  std::optional<SizeComparison> comparison() {
    SizeComparison out;
    out.left = sum();
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">"})
      if (out.op.empty() && take(op)) out.op = op;
    if (!out.left || out.op.empty()) return std::nullopt;
    out.right = sum();
    return out.right && at_end() ? std::optional(out) : std::nullopt;
  }

 private:
  bool at_end() {
    skip_spaces();
    return at_ == text_.size();
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Scalar sum() {
    Scalar out = product();
    while (out) {
      const bool adds = take("+");
      if (!adds && !take("-")) break;
      Scalar next = product();
      out = !next ? nullptr : adds ? out + next : out - next;
    }
    return out;
  }

  Scalar product() {
    Scalar out = factor();
    while (out) {
      const bool divides = take("//") || (names_.slash_rounds_down && take("/")), wraps = !divides && take("%");
      if (!divides && !wraps && !take("*")) break;
      Scalar next = factor();
      if (!next) return nullptr;
      const bool by_zero = find_int(next) && *find_int(next) == 0;
      if (by_zero && (divides || wraps)) return nullptr;
      out = divides ? floor_div(out, next) : wraps ? floor_mod(out, next) : out * next;
    }
    return out;
  }

  Scalar factor() {
    if (++nodes_ > kMostNodes) return nullptr;
    if (take("-")) {
      Scalar negated = factor();
      return negated ? int_imm(0) - negated : nullptr;
    }
    Scalar base = atom(), out = base;
    if (!base || !take("**")) return out;
    const std::optional<int64_t> power = number();
    if (!power || *power < 1 || *power > kMostPower) return nullptr;
    for (int64_t i = 1; i < *power; ++i) out = out * base;
    return out;
  }

  Scalar atom() {
    if (depth_ > kMostNesting) return nullptr;
    if (std::optional<int64_t> n = number()) return int_imm(*n);
    if (take("(")) {
      ++depth_;
      Scalar inner = sum();
      --depth_;
      return take(")") ? inner : nullptr;
    }
    if (names_.argument && take("L[")) return size_of_argument();
    const std::string_view name = word();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return nullptr;
    if (!take("(")) return names_.symbol(std::string(name));
    const bool is_max = name == "Max" || name == "max";
    if (!is_max && name != "Min" && name != "min") return nullptr;
    ++depth_;
    Scalar out = sum();
    while (out && take(",")) {
      Scalar next = sum();
      out = !next ? nullptr : is_max ? max(out, next) : min(out, next);
    }
    --depth_;
    return take(")") ? out : nullptr;
  }

  std::string_view word() {
    skip_spaces();
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::optional<int64_t> number() {
    skip_spaces();
    int64_t value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || text_[at_] == '-') return std::nullopt;
    at_ = static_cast<size_t>(end - text_.data());
    const bool goes_on = at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e');  // no integer
    return goes_on ? std::nullopt : std::optional(value);
  }

  Scalar size_of_argument() {
    constexpr std::string_view kSize = ".size()[";
    const size_t begin = at_ - 2, end = text_.find(kSize, at_);
    if (end == std::string_view::npos) return nullptr;
    const std::string place(text_.substr(begin, end - begin));
    at_ = end + kSize.size();
    const std::optional<int64_t> axis = number();
    return axis && take("]") ? names_.argument(place, *axis) : nullptr;
  }

  std::string_view text_;
  const SizeNames& names_;
  size_t at_ = 0;
  int nodes_ = 0, depth_ = 0;
};

}  // namespace

Scalar parse_size_term(std::string_view text, const SizeNames& names) { return Parser(text, names).size(); }

std::optional<SizeComparison> parse_comparison(std::string_view text, const SizeNames& names) {
  return Parser(text, names).comparison();
}

}  // namespace sunmao
