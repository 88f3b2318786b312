// SizeBounds: what the attributes of a function say about its symbols, `tir_var_upper_bound`, `tir_var_lower_bound` and
// `tir_non_negative_var`. They hold of the symbols of the signature.
#pragma once
#include <optional>
#include <vector>

#include "ir/expr.h"
#include "sym/analyzer.h"

namespace sunmao {

class SizeBounds {
 public:
  /// Fails (E0538) for an attribute of another form.
  explicit SizeBounds(const Function& function);
  /// Returns the largest value of each size; a size without a bound as it is.
  std::vector<Scalar> largest(const std::vector<Scalar>& sizes);
  /// Returns the value of a size that can have one value alone; nullopt for another size.
  std::optional<int64_t> only_value(const Scalar& size);
  bool are_equal(const Scalar& a, const Scalar& b) { return analyzer_.can_prove_equal(a, b); }
  bool can_prove(const Scalar& condition) { return analyzer_.can_prove(condition); }
  /// From now on, symbols that are dimensions of tensors of the type are known not to be negative.
  void know_sizes(const Type& type);

 private:
  Scalar largest(const Scalar& size);
  Scalar largest_product(const Scalar& a, const Scalar& b);
  bool is_bounded(const Scalar& s) const;

  Analyzer analyzer_;
  std::unordered_map<const SymVar*, int64_t> upper_;
};

/// Returns the product with known factors folded, in the order given.
Scalar product_of(const std::vector<Scalar>& factors);

}  // namespace sunmao
