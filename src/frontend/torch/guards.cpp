#include "frontend/torch/guards.h"

#include <charconv>

namespace sunmao::torch {
namespace {

constexpr int kMostNodes = 256, kMostNesting = 32;
constexpr int64_t kMostPower = 8;

/// Parses integer arithmetic in Python's syntax. What it does not know gives null.
class PythonParser {
 public:
  PythonParser(std::string_view text, const ArgumentSizes& sizes, ModelBuilder& builder)
      : text_(text), sizes_(sizes), builder_(builder) {}

  Scalar size() {
    Scalar s = sum();
    return at_end() ? s : nullptr;
  }

  std::optional<Guard> comparison() {
    Guard out;
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
      const bool divides = take("//"), wraps = !divides && take("%");
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
    if (take("L[")) return size_of_argument();
    const std::string_view name = word();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return nullptr;
    if (!take("(")) return builder_.size_of(std::string(name));
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
    auto it = sizes_.find(std::string(text_.substr(begin, end - begin)));
    at_ = end + kSize.size();
    const std::optional<int64_t> axis = number();
    if (it == sizes_.end() || !axis || *axis >= std::ssize(it->second) || !take("]")) return nullptr;
    return it->second[static_cast<size_t>(*axis)];
  }

  std::string_view text_;
  const ArgumentSizes& sizes_;
  ModelBuilder& builder_;
  size_t at_ = 0;
  int nodes_ = 0, depth_ = 0;
};

/// True for what the exporter assumes of every dynamic size: that it is not 0 or 1.
bool is_assumed_of_all(const Guard& c) {
  const int64_t* bound = find_int(c.right);
  if (!bound) return false;
  if (c.op == "!=") return *bound == 0 || *bound == 1;
  return (c.op == ">=" && *bound <= 2) || (c.op == ">" && *bound <= 1);
}

}  // namespace

std::optional<Guard> parse_guard(std::string_view text, const ArgumentSizes& sizes, ModelBuilder& builder) {
  std::optional<Guard> guard = PythonParser(text, sizes, builder).comparison();
  if (guard && is_assumed_of_all(*guard)) return std::nullopt;
  return guard;
}

void require(const Guard& guard, const Span& span, ModelBuilder& builder) {
  const Scalar left = builder.simplify(guard.left), right = builder.simplify(guard.right);
  if (guard.op == "==") return builder.require_equal(left, right, span);
  if (guard.op == "!=") {
    const Scalar is_equal = Select::make(Binary::make(BinaryOp::Eq, left, right), int_imm(1), int_imm(0));
    return builder.require_equal(is_equal, int_imm(0), span);
  }
  const bool is_less = guard.op[0] == '<';
  Scalar small = is_less ? left : right, large = is_less ? right : left;
  if (guard.op.size() == 1) small = builder.simplify(small + int_imm(1));
  builder.require_equal(builder.simplify(max(small, large)), large, span);
}

Scalar parse_size_text(std::string_view text, ModelBuilder& builder) { return PythonParser(text, {}, builder).size(); }

}  // namespace sunmao::torch
