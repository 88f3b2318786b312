#include "tests/unit/runtime/sizes_program.h"

#include "runtime/program.h"

namespace sunmao::runtime::testing {

using abi::kDelivered;
using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;

namespace {

constexpr abi::ElementType kInt64 = {0, 64, 1};

/// both(a: (m,), x: (n,)) -> a, x.
void add_both(ProgramBuilder& b) {
  const int64_t m = b.symbol("m"), n = b.symbol("n");
  b.begin_inner_function("both", {{"a", kFloat32, {m}}, {"x", kFloat32, {n}}},
                         {{"a", kFloat32, {m}}, {"x", kFloat32, {n}}});
  const uint32_t left = b.bind_dim(0, 0), right = b.bind_dim(1, 0);
  b.emit(Opcode::Layout);
  const uint32_t a = b.tensor(Opcode::Param, 0), x = b.tensor(Opcode::Param, 1);
  b.emit(Opcode::Deliver, {a, left, x, right});
}

}  // namespace

std::string fault_of(const std::vector<uint8_t>& program) {
  const io::Result<Program> result = Program::read(std::as_bytes(std::span<const uint8_t>(program)));
  return result.ok() ? "none" : std::string(result.code()) + " " + result.status().message();
}

void begin_entry(ProgramBuilder& b, const char* name, const std::vector<ProgramBuilder::Value>& results) {
  b.begin_function(name, {{"sizes", kInt64, {1}}, {"x", kFloat32, {b.symbol("n")}}}, results);
  b.bind_dim(1, 0);
  b.emit(Opcode::CheckDim, {0, 0, b.constant_dim(1)});
  b.emit(Opcode::Layout);
  b.tensor(Opcode::Param, 0);
  b.tensor(Opcode::Param, 1);
}

void add_head_of(ProgramBuilder& b) {
  const int64_t m = b.symbol("m");
  b.begin_inner_function("head_of", {{"m", abi::kSizes, {m}}, {"x", kFloat32, {b.symbol("n")}}},
                         {{"head", kFloat32, {m}}});
  const uint32_t size = b.bind_dim(0, 0);
  b.bind_dim(1, 0);
  b.emit(Opcode::Layout);
  const uint32_t head = b.block(kFloat32, {size});
  b.emit(Opcode::Copy, {head, b.tensor(Opcode::Param, 1)});
  b.emit(Opcode::Deliver, {head, size});
}

void follow(ProgramBuilder& b) { b.emit(Opcode::Follow, {3, 0, kNone, 1, 0}); }
void chain(ProgramBuilder& b) { b.emit(Opcode::Chain, {3, 0, kNone, 1, 0, 4, kDelivered, kNone, 1, 0}); }

std::vector<uint8_t> head_and_parts(const Body& head, const Body& parts) {
  ProgramBuilder b;
  b.add_kernel("add_row", 3, 2);
  b.add_kernel("square_rows", 2, 2);
  b.add_kernel("refuse_thirteen", 0, 1);
  b.add_kernel("is_positive", 2, 0);
  begin_entry(b, "head", {{"head", kFloat32, {b.symbol("m")}}});
  head(b);
  begin_entry(b, "three", {{"head", kFloat32, {3}}});
  follow(b);
  begin_entry(b, "parts", {{"head", kFloat32, {b.symbol("m")}}, {"x", kFloat32, {b.symbol("n")}}});
  parts(b);
  add_head_of(b);
  add_both(b);
  return b.finish();
}

}  // namespace sunmao::runtime::testing
