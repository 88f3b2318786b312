#include "frontend/torch/sympy_text.h"

#include <algorithm>
#include <cctype>

namespace sunmao::torch {
namespace {

constexpr int kDeepest = 32;
constexpr int kLongest = 256;

/// What it does not know ends the text, and `parse` gives nothing.
class SympyParser {
 public:
  explicit SympyParser(std::string_view text) : text_(text) {}

  std::optional<SympyNode> parse() {
    SympyNode node = expression();
    return is_bad_ || at_ != text_.size() ? std::nullopt : std::optional(std::move(node));
  }

 private:
  void give_up() {
    is_bad_ = true;
    at_ = text_.size();
  }

  bool take(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view word() {
    const auto belongs = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
    };
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    const std::string_view out = text_.substr(begin, at_ - begin);
    if (out.empty()) give_up();
    return out;
  }

  std::string_view quoted() {
    const size_t begin = at_, end = text_.find('\'', at_);
    if (end == std::string_view::npos) return give_up(), std::string_view();
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  SympyNode expression() {
    SympyNode node;
    if (++nodes_ > kLongest || depth_ >= kDeepest) return give_up(), node;
    if (take('\'')) return {.head = {}, .text = quoted(), .args = {}};
    node.text = node.head = word();
    if (node.head.empty()) return node;
    const size_t begin = at_ - node.head.size();
    const bool is_number = node.head[0] == '-' || std::isdigit(static_cast<unsigned char>(node.head[0]));
    if (is_number) node.head = {};
    if (is_number || !take('(')) return node;
    ++depth_;
    do argument(node);
    while (take(','));
    --depth_;
    if (!take(')')) give_up();
    node.text = text_.substr(begin, at_ - begin);
    return node;
  }

  /// Assumptions such as `integer=True` are passed over.
  void argument(SympyNode& node) {
    SympyNode value = expression();
    if (take('='))
      word();
    else
      node.args.push_back(std::move(value));
  }

  std::string_view text_;
  size_t at_ = 0;
  int nodes_ = 0, depth_ = 0;
  bool is_bad_ = false;
};

void append_symbols(const SympyNode& node, std::vector<std::string_view>& out) {
  if (node.head == "Symbol" && node.args.size() == 1) out.push_back(node.args[0].text);
  for (const SympyNode& arg : node.args) append_symbols(arg, out);
}

}  // namespace

std::optional<SympyNode> parse_sympy(std::string_view text) { return SympyParser(text).parse(); }

bool is_of_integers(const SympyNode& node) {
  constexpr std::string_view kLeaves[] = {"Symbol", "Integer", "Rational"};
  constexpr std::string_view kFunctions[] = {"Add",      "Mul",      "Pow", "PowByNatural", "Max",    "Min",
                                             "FloorDiv", "CleanDiv", "Mod", "PythonMod",    "CeilDiv"};
  if (std::ranges::find(kLeaves, node.head) != std::end(kLeaves)) return true;
  return std::ranges::find(kFunctions, node.head) != std::end(kFunctions) &&
         std::ranges::all_of(node.args, is_of_integers);
}

std::vector<std::string_view> symbol_names(const SympyNode& node) {
  std::vector<std::string_view> out;
  append_symbols(node, out);
  return out;
}

}  // namespace sunmao::torch
