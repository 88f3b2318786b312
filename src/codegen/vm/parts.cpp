#include "codegen/vm/parts.h"

#include "ir/dims.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

Scalar bytes(const TensorType& t) { return byte_size(*t.dims(), t.dtype); }

}  // namespace

FlatTensor part_of(const FlatTensor& t, const Scalar& begin, const Type& type) {
  Analyzer analyzer;
  const Scalar place = analyzer.simplify(t.begin ? t.begin + begin : begin);
  const FlatTensor part = {t.root, type, place};
  const bool is_open = !t.tensor().dims() || !part.tensor().dims();
  const bool is_all = !t.begin && analyzer.can_prove_equal(place, int_imm(0)) &&
                      (is_open || analyzer.can_prove_equal(bytes(t.tensor()), bytes(part.tensor())));
  return is_all ? FlatTensor{t.root, type} : part;
}

bool is_aligned(const FlatTensor& t) {
  const DType dtype = t.tensor().dtype;
  return !t.begin ||
         (!dtype.is_void() && Analyzer().can_prove_equal(floor_mod(t.begin, int_imm(dtype.bytes())), int_imm(0)));
}

FlatTensor bytes_of(const FlatTensor& t) {
  return {t.root, TensorType::make({bytes(t.tensor())}, DType::uint(8)), t.begin};
}

bool is_offset(const Op& op) {
  return op.name() == "inspect.tensor_byte_offset" || op.name() == "inspect.tensor_elem_offset";
}

bool is_release(const Op& op) {
  return op.name() == "vm.kill_object" || op.name() == "memory.kill_tensor" || op.name() == "memory.kill_storage";
}

}  // namespace sunmao
