#include "tests/unit/runtime/state_program.h"

namespace sunmao::runtime::testing {

using abi::Opcode;
using abi::ProgramBuilder;

namespace {

using Value = ProgramBuilder::Value;

constexpr uint32_t kAddRow = 0, kSquareRows = 1, kRefuse = 2, kInner = 7;

Value three(const char* name, uint32_t state = abi::kNone) { return {name, kFloat32, {3}, state}; }

/// Starts a function whose parameters have 3 elements; dims are 3 and 1.
void begin_three(ProgramBuilder& b, const char* name, const std::vector<Value>& params,
                 const std::vector<Value>& results) {
  b.begin_function(name, params, results);
  const uint32_t size = b.constant_dim(3);
  b.constant_dim(1);
  for (uint32_t p = 0; p < params.size(); ++p) b.emit(Opcode::CheckDim, {p, 0, size});
  b.emit(Opcode::Layout);
}

uint32_t square_of(ProgramBuilder& b, uint32_t tensor) {
  const uint32_t out = b.block(kFloat32, {0});
  b.call(kSquareRows, {tensor, out}, {1, 0});
  return out;
}

void add_in_place(ProgramBuilder& b) {
  const uint32_t x = b.tensor(Opcode::Param, 0), sum = b.own(b.tensor(Opcode::Param, 1), {});
  b.call(kAddRow, {sum, x, sum}, {1, 0});
  b.emit(Opcode::Deliver, {square_of(b, sum), 0, sum, 0});
}

void add_short_functions(ProgramBuilder& b) {
  begin_three(b, "follow", {three("x"), three("sum", kSum)}, {three("y"), three("sum", kSum)});
  const uint32_t x = b.tensor(Opcode::Param, 0), sum = b.tensor(Opcode::Param, 1);
  b.emit(Opcode::Follow, {kInner, x, 0, sum, 0});
  begin_three(b, "peek", {three("sum", kSum)}, {three("y")});
  const uint32_t seen = b.own(b.tensor(Opcode::Param, 0), {});
  b.call(kSquareRows, {seen, seen}, {1, 0});
  b.emit(Opcode::Deliver, {seen, 0});
  begin_three(b, "swap", {three("row", kRow), three("sum", kSum)},
              {three("y"), three("row", kRow), three("sum", kSum)});
  const uint32_t row = b.tensor(Opcode::Param, 0), old = b.tensor(Opcode::Param, 1);
  b.emit(Opcode::Deliver, {row, 0, old, 0, old, 0});
  begin_three(b, "take", {three("a")}, {three("y"), three("row", kRow)});
  const uint32_t a = b.tensor(Opcode::Param, 0);
  b.emit(Opcode::Deliver, {a, 0, a, 0});
}

void add_check(ProgramBuilder& b) {
  const int64_t n = b.symbol("n");
  b.begin_function("check", {{"x", kFloat32, {n}}, three("sum", kSum), three("row", kRow)},
                   {{"y", kFloat32, {n}}, three("sum", kSum), three("row", kRow)});
  const uint32_t size = b.constant_dim(3), one = b.constant_dim(1), count = b.bind_dim(0, 0);
  for (const uint32_t p : {1, 2}) b.emit(Opcode::CheckDim, {p, 0, size});
  b.emit(Opcode::Layout);
  const uint32_t x = b.tensor(Opcode::Param, 0), sum = b.own(b.tensor(Opcode::Param, 1), {});
  const uint32_t row = b.tensor(Opcode::Param, 2);
  b.call(kSquareRows, {sum, sum}, {one, size});
  b.call(kRefuse, {}, {count});
  b.emit(Opcode::Deliver, {x, count, sum, size, row, size});
}

void add_grow(ProgramBuilder& b) {
  const int64_t n = b.symbol("n"), m = b.symbol("m");
  b.begin_function("grow", {{"x", kFloat32, {n}}, {"grown", kFloat32, {m}, kGrown}},
                   {{"y", kFloat32, {m}}, {"grown", kFloat32, {n}, kGrown}});
  const uint32_t given = b.bind_dim(0, 0), present = b.bind_dim(1, 0);
  b.guard_range(present, 0, 64, "m");
  b.emit(Opcode::Layout);
  const uint32_t x = b.tensor(Opcode::Param, 0), grown = b.tensor(Opcode::Param, 1);
  b.emit(Opcode::Deliver, {grown, present, x, given});
}

}  // namespace

std::vector<uint8_t> state_program(const Body& body) {
  ProgramBuilder b;
  b.add_kernel("add_row", 3, 2);
  b.add_kernel("square_rows", 2, 2);
  b.add_kernel("refuse_thirteen", 0, 1);
  b.add_kernel("is_positive", 2, 0);
  b.add_state("sum", kFloat32, {3});
  b.add_state("row", kFloat32, {3}, b.add_weight("row", kFloat32, {3}));
  b.add_state("grown", kFloat32, {0});
  begin_three(b, "add", {three("x"), three("sum", kSum)}, {three("y"), three("sum", kSum)});
  body ? body(b) : add_in_place(b);
  add_short_functions(b);
  add_check(b);
  add_grow(b);
  b.begin_inner_function("add_inside", {three("x"), three("sum")}, {three("y"), three("sum")});
  const uint32_t size = b.constant_dim(3);
  b.constant_dim(1);
  for (const uint32_t p : {0, 1}) b.emit(Opcode::CheckDim, {p, 0, size});
  b.emit(Opcode::Layout);
  add_in_place(b);
  return b.finish();
}

}  // namespace sunmao::runtime::testing
