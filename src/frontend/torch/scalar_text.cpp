#include "frontend/torch/scalar_text.h"

#include <charconv>

#include "frontend/shapes.h"
#include "io/concat.h"
#include "support/diagnostic.h"

namespace sunmao::torch {
namespace {

constexpr int kMaxNesting = 32;
constexpr int kMaxNodes = 256;
constexpr int64_t kMaxPower = 8;

/// A ratio of integer expressions: factors may be rational, or powers with negative exponent, if the product is an
/// integer.
struct Ratio {
  Scalar above;
  Scalar below;  // null: 1
};

class Parser {
 public:
  Parser(std::string_view text, ModelBuilder& builder, const Span& span)
      : text_(text), builder_(builder), span_(span) {}

  Scalar parse() {
    Scalar s = whole(expression());
    if (at_ != text_.size()) bad("it goes on after its end");
    return s;
  }

 private:
  [[noreturn]] void bad(const std::string& why) const {
    fail("E0709", span_, fmt::format("the size {} cannot be read: {}", io::quoted(text_), why),
         "sizes must be integer expressions of symbols; export with other dynamic shapes");
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) bad(fmt::format("expected `{}` at {}", c, at_));
  }

  std::string_view word() {
    skip_spaces();
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    if (at_ == begin) bad(fmt::format("expected a name at {}", at_));
    return text_.substr(begin, at_ - begin);
  }

  int64_t number() {
    skip_spaces();
    int64_t value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) bad(fmt::format("expected an integer at {}", at_));
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  /// Parses Symbol('s77', positive=True, integer=True); the assumptions are ignored, since they hold for all sizes.
  Scalar symbol() {
    expect('\'');
    const size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) bad("a name does not end");
    const std::string name(text_.substr(at_, end - at_));
    at_ = end + 1;
    while (take(',')) {
      word();
      expect('=');
      word();
    }
    expect(')');
    return builder_.size_of(name);
  }

  Ratio expression() {
    if (++nodes_ > kMaxNodes || depth_ >= kMaxNesting) bad("it is too long");
    ++depth_;
    const std::string_view function = word();
    expect('(');
    Ratio r = function == "Symbol"     ? Ratio{symbol(), {}}
              : function == "Integer"  ? integer()
              : function == "Rational" ? rational()
                                       : apply(function);
    --depth_;
    if (!is_short(r.above) || (r.below && !is_short(r.below))) bad("it is too long");
    return r;
  }

  Ratio integer() {
    Ratio r{int_imm(number()), {}};
    expect(')');
    return r;
  }

  Ratio rational() {
    const int64_t above = number();
    expect(',');
    const int64_t below = number();
    expect(')');
    if (below <= 0) bad("a denominator is not positive");
    return {int_imm(above), int_imm(below)};
  }

  Ratio apply(std::string_view function) {
    std::vector<Ratio> args;
    do args.push_back(expression());
    while (take(','));
    expect(')');
    if (function == "Mul") return multiply(args);
    if (function == "Pow" || function == "PowByNatural") return power(args);
    std::vector<Scalar> values;
    for (const Ratio& a : args) values.push_back(whole(a));
    return {apply(function, values), {}};
  }

  Ratio multiply(const std::vector<Ratio>& args) {
    Ratio product;
    for (const Ratio& a : args) {
      product.above = product.above ? product.above * a.above : a.above;
      if (a.below) product.below = product.below ? product.below * a.below : a.below;
    }
    return product;
  }

  Ratio power(const std::vector<Ratio>& args) {
    const int64_t* exponent = args.size() == 2 ? find_int(args[1].above) : nullptr;
    if (!exponent || args[1].below || *exponent < -kMaxPower || *exponent > kMaxPower || *exponent == 0)
      bad("a power is not a small integer");
    Scalar base = whole(args[0]), product = base;
    for (int64_t i = 1; i < std::abs(*exponent); ++i) product = product * base;
    return *exponent > 0 ? Ratio{product, {}} : Ratio{int_imm(1), product};
  }

  /// Returns the ratio as an integer; the exporter guarantees that the division is exact.
  Scalar whole(const Ratio& r) { return r.below ? floor_div(r.above, r.below) : r.above; }

  Scalar apply(std::string_view f, const std::vector<Scalar>& a) {
    if (f == "Add" || f == "Max" || f == "Min") {
      Scalar all = a[0];
      for (size_t i = 1; i < a.size(); ++i)
        all = f == "Add" ? all + a[i] : f == "Max" ? max(all, a[i]) : min(all, a[i]);
      return all;
    }
    if (f == "Identity" && a.size() == 1) return a[0];
    if (a.size() == 2) {
      if (f == "FloorDiv" || f == "CleanDiv") return floor_div(a[0], a[1]);
      if (f == "Mod" || f == "PythonMod") return floor_mod(a[0], a[1]);
      if (f == "CeilDiv") return floor_div(a[0] + a[1] - int_imm(1), a[1]);
    }
    if (f == "ModularIndexing" && a.size() == 3) return floor_mod(floor_div(a[0], a[1]), a[2]);
    bad(fmt::format("{} of {} arguments is not known", io::quoted(f), a.size()));
  }

  std::string_view text_;
  ModelBuilder& builder_;
  const Span& span_;
  size_t at_ = 0;
  int depth_ = 0, nodes_ = 0;
};

}  // namespace

Scalar parse_scalar(std::string_view text, ModelBuilder& builder, const Span& span) {
  return builder.simplify(Parser(text, builder, span).parse());
}

}  // namespace sunmao::torch
