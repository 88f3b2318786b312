// Views of dense buffers in other shapes.
#pragma once
#include "loop/prim_func.h"
#include "loop/walk.h"

namespace sunmao {

/// Creates views of buffers with named data pointers, one for each buffer.
class BufferViews {
 public:
  Ref<Buffer> of(const Ref<Buffer>& b, const std::vector<Scalar>& shape);
  /// Returns `body` with the declarations of the views around it.
  Stmt declare(Stmt body) const;

 private:
  BufferMap views_;
  std::vector<Ref<Buffer>> viewed_;
};

/// Returns the function with named data pointers for its parameters and temporaries; views are declared on these
/// pointers.
Ref<PrimFunc> with_data_names(const Ref<PrimFunc>& func);

}  // namespace sunmao
