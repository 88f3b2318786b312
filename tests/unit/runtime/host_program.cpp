#include "tests/unit/runtime/host_program.h"

namespace sunmao::runtime::testing {

using abi::kDelivered;
using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;

namespace {

constexpr abi::ElementType kIndex = {0, 64, 1};

void begin(ProgramBuilder& b, const char* name, const char* size) {
  b.begin_function(name, {{"x", kFloat32, {b.symbol("n")}}}, {{"y", kFloat32, {b.symbol(size)}}});
  b.bind_dim(0, 0);
  b.emit(Opcode::Layout);
  b.tensor(Opcode::Param, 0);
}

void twice(ProgramBuilder& b) {
  const uint32_t made = b.new_tensor();
  b.emit(Opcode::Invoke, {3, 0, 0, made, 0});
  b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {0}), made});
  b.emit(Opcode::Return);
}

}  // namespace

std::vector<uint8_t> host_program(const Body& body) {
  ProgramBuilder b;
  b.add_kernel("add_row", 3, 2);
  b.add_kernel("square_rows", 2, 2);
  b.add_kernel("refuse_thirteen", 0, 1);
  b.add_kernel("is_positive", 2, 0);
  begin(b, "twice", "n");
  body ? body(b) : twice(b);
  begin(b, "any", "m");
  b.emit(Opcode::Chain, {3, 0, 0, 4, kDelivered, kNone});
  b.begin_function("swap", {{"s", abi::kSizes, {b.symbol("a"), b.symbol("b")}}}, {{"t", kIndex, {2}}});
  const uint32_t first = b.bind_dim(0, 0), second = b.bind_dim(0, 1), two = b.constant_dim(2);
  b.emit(Opcode::Layout);
  const uint32_t values = b.values({second, first});
  b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kIndex, {two}), values});
  b.emit(Opcode::Return);
  const int64_t n = b.symbol("n");
  b.add_host_function("scale(float32[1], 2) -> float32[1]", {{"0", kFloat32, {n}}}, {{"0", kFloat32, {n}}});
  b.begin_inner_function("pass", {{"x", kFloat32, {n}}}, {{"y", kFloat32, {n}}});
  const uint32_t size = b.bind_dim(0, 0);
  b.emit(Opcode::Layout);
  b.emit(Opcode::Deliver, {b.tensor(Opcode::Param, 0), size});
  return b.finish();
}

}  // namespace sunmao::runtime::testing
