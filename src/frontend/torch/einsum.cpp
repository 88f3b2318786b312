// The converter of einsum: sums of products of two tensors become matrix products, all others R.einsum.
#include <algorithm>
#include <map>
#include <string>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// The letters of the operands' axes and of the result's.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
  bool has_ellipsis = false;
};

Equation parsed(std::string text) {
  std::erase(text, ' ');
  Equation e;
  e.has_ellipsis = text.find("...") != std::string::npos;
  const size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  for (size_t comma; (comma = left.find(',')) != std::string::npos; left.erase(0, comma + 1))
    e.operands.push_back(left.substr(0, comma));
  e.operands.push_back(left);
  if (arrow != std::string::npos) {
    e.result = text.substr(arrow + 2);
    return e;
  }
  std::map<char, int> uses;  // without "->" the result has the letters that occur once, in order
  for (const std::string& o : e.operands)
    for (char c : o) ++uses[c];
  if (e.has_ellipsis) e.result = "...";
  for (const auto& [letter, count] : uses)
    if (letter != '.' && count == 1) e.result += letter;
  return e;
}

bool has(const std::string& letters, char c) { return letters.find(c) != std::string::npos; }
bool is_distinct(const std::string& letters) {
  return std::ranges::all_of(letters, [&](char c) { return std::ranges::count(letters, c) == 1; });
}

/// Sums over the letters that neither the other operand nor the result has.
Expr summed(const NodeContext& n, const Expr& x, std::string& letters, const std::string& others) {
  std::vector<int64_t> axes;
  std::string rest;
  for (size_t i = 0; i < letters.size(); ++i)
    if (has(others, letters[i]))
      rest += letters[i];
    else
      axes.push_back(static_cast<int64_t>(i));
  letters = rest;
  return axes.empty() ? x : n.call("sum", {x}, {{"axis", AttrValue::ints(axes)}});
}

class Product {
 public:
  Product(const NodeContext& n, const Equation& e, Expr x, Expr y)
      : n_(n), left_(e.operands[0]), right_(e.operands[1]) {
    x_ = summed(n, x, left_, right_ + e.result);
    y_ = summed(n, y, right_, left_ + e.result);
    for (size_t i = 0; i < left_.size(); ++i) sizes_[left_[i]] = n.dims(x_).at(i);
    for (size_t i = 0; i < right_.size(); ++i)
      if (auto [it, is_new] = sizes_.emplace(right_[i], n.dims(y_).at(i));
          !is_new && !same_size(it->second, n.dims(y_).at(i)))
        broadcasts_ = true;
    for (char c : e.result) (has(left_, c) && has(right_, c) ? batch_ : has(left_, c) ? rows_ : columns_) += c;
    for (char c : left_)
      if (has(right_, c) && !has(e.result, c)) contracted_ += c;
  }

  /// False where the product is better said otherwise: nothing is contracted, or a size of 1 is broadcast.
  bool is_matrix_product() const { return !contracted_.empty() && !broadcasts_; }

  Expr in_order_of(const std::string& result) const {
    Expr x = arranged(x_, left_, batch_ + rows_ + contracted_, {batch_, rows_, contracted_});
    Expr y = arranged(y_, right_, batch_ + contracted_ + columns_, {batch_, contracted_, columns_});
    const std::string letters = batch_ + rows_ + columns_;
    Expr product = reshaped(n_.builder, n_.call("matmul", {x, y}), sizes_of(letters), n_.span);
    return permuted(n_.builder, product, order(letters, result), n_.span);
  }

 private:
  bool same_size(const Scalar& a, const Scalar& b) const {
    return n_.builder.can_prove(Binary::make(BinaryOp::Eq, a, b));
  }
  std::vector<Scalar> sizes_of(const std::string& letters) const {
    std::vector<Scalar> out;
    for (char c : letters) out.push_back(sizes_.at(c));
    return out;
  }
  static std::vector<int64_t> order(const std::string& from, const std::string& to) {
    std::vector<int64_t> axes;
    for (char c : to) axes.push_back(static_cast<int64_t>(from.find(c)));
    return axes;
  }
  /// Returns an operand with its axes in the order `letters`, the batch as it is and each other group merged.
  Expr arranged(const Expr& x, const std::string& from, const std::string& letters,
                const std::vector<std::string>& groups) const {
    std::vector<Scalar> shape = sizes_of(groups[0]);
    for (size_t i = 1; i < groups.size(); ++i) shape.push_back(product(n_.builder, sizes_of(groups[i])));
    return reshaped(n_.builder, permuted(n_.builder, x, order(from, letters), n_.span), shape, n_.span);
  }

  const NodeContext& n_;
  std::string left_, right_, batch_, rows_, columns_, contracted_;
  Expr x_, y_;
  std::map<char, Scalar> sizes_;
  bool broadcasts_ = false;
};

Results einsum(const NodeContext& n) {
  const Equation e = parsed(n.string("equation"));
  std::vector<Expr> operands = n.tensors("tensors");
  if (operands.size() != e.operands.size()) n.malformed("equation");
  const bool is_plain = !e.has_ellipsis && is_distinct(e.result) && std::ranges::all_of(e.operands, is_distinct);
  if (is_plain && operands.size() == 2) {
    for (size_t i = 0; i < 2; ++i)
      if (n.dims(operands[i]).size() != e.operands[i].size()) n.malformed("equation");
    const Product product(n, e, operands[0], operands[1]);
    if (product.is_matrix_product()) return product.in_order_of(e.result);
  }
  std::string subscripts;
  for (const std::string& o : e.operands) subscripts += (subscripts.empty() ? "" : ",") + o;
  return n.call("einsum", {Tuple::make(std::move(operands))}, {{"subscripts", subscripts + "->" + e.result}});
}

}  // namespace

std::vector<Converter> einsum_converters() {
  return {{"aten.einsum.default", einsum, "`R.matmul` for two tensors, else `R.einsum`"}};
}

}  // namespace sunmao::torch
