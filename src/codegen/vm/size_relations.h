// Relations between sizes that a function's casts state, checked on entry, and what follows from them.
#pragma once
#include <unordered_set>

#include "codegen/vm/flat_function.h"

namespace sunmao {

/// Writes the relations to `symbols` and `checks` of a function.
class SizeRelations {
 public:
  explicit SizeRelations(FlatFunction& out) : out_(out) {}

  /// Notes the symbols of a type as known.
  void know(const Type& type);
  /// Adds what a cast states; false for one that differs from its value in another way than in sizes.
  bool add(const Binding& cast);

  /// Adds that shapes and numbers of a result are what the function's type says.
  void add_result(const Type& stated, const Type& given, const std::string& function);

  /// True when a tensor covers the whole root with the same dtype; views may be of another dtype or a part.
  static bool shows_all(const Root& root, const TensorType& seen);
  /// True when a tensor covers the whole root, as types say or as the function checks when it starts.
  bool is_whole(const Root& root, const TensorType& seen) const;

 private:
  bool is_stated(const Scalar& expected, const Scalar& given) const;
  bool are_same(const Scalar& size, const Scalar& there) const;
  std::vector<Scalar> in_known_symbols(std::vector<Scalar> sizes) const;

  FlatFunction& out_;
  std::unordered_set<Ref<SymVar>> known_;
};

}  // namespace sunmao
