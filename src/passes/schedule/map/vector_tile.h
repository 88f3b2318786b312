// Square tiles of vectors: the rows of a tile become its columns by shuffles, in registers.
#pragma once
#include <utility>
#include <vector>

#include "loop/stmt.h"

namespace sunmao {

/// Vectors that statements name.
class VectorBindings {
 public:
  Scalar bind(const char* name, const Scalar& value);
  /// Returns `body` with the bindings around it, the first outermost.
  Stmt around(Stmt body) const;

 private:
  std::vector<std::pair<Ref<SymVar>, Scalar>> all_;
};

/// Binds the columns of a tile of as many rows as they have lanes, a power of two. Elements of `bits` bits are first
/// interleaved within 16 bytes, where shuffles are cheapest, and then moved as groups of 16 bytes.
std::vector<Scalar> bind_columns(VectorBindings& bindings, std::vector<Scalar> rows, int bits);

/// Binds vectors that hold the first lanes of all rows, then the second ones, and so on.
std::vector<Scalar> bind_interleaved(VectorBindings& bindings, const std::vector<Scalar>& rows);

}  // namespace sunmao
