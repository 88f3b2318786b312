// Views of dense buffers in other shapes.
#pragma once
#include <utility>
#include <vector>

#include "loop/prim_func.h"

namespace sunmao {

/// Creates views of buffers with named data pointers, one for each buffer, shape and dtype.
class BufferViews {
 public:
  Ref<Buffer> of(const Ref<Buffer>& b, const std::vector<Scalar>& shape);
  Ref<Buffer> of(const Ref<Buffer>& b, const std::vector<Scalar>& shape, DType dtype);
  /// Returns `body` with the declarations of the views that it uses around it.
  Stmt declare(Stmt body) const;

 private:
  std::vector<std::pair<Ref<Buffer>, Ref<Buffer>>> views_;  // a buffer and its view
};

/// Returns the function with named data pointers for its parameters and temporaries; views are declared on these
/// pointers.
Ref<PrimFunc> with_data_names(const Ref<PrimFunc>& func);

}  // namespace sunmao
