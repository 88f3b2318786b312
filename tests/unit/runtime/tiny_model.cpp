#include "tests/unit/runtime/tiny_model.h"

#include <cstring>

#include "io/json_writer.h"
#include "io/safetensors.h"
#include "io/sha256.h"
#include "io/zip.h"
#include "tests/unit/runtime/kernel_image.h"

namespace sunmao::runtime::testing {
namespace {

using abi::Opcode;
using abi::ProgramBuilder;

void add_main(ProgramBuilder& b, uint32_t weight, uint32_t add_row, uint32_t square_rows) {
  const int64_t n = b.symbol("n");
  b.begin_function("main", {{"x", kFloat32, {n, 3}}, {"row", kFloat32, {3}, weight}},
                   {{"squares", kFloat32, {n, 3}}, {"sums", kFloat32, {n, 3}}});
  const uint32_t rows = b.bind_dim(0, 0);
  b.guard_range(rows, 1, 64, "n");
  const uint32_t three = b.constant_dim(3);
  b.emit(Opcode::CheckDim, {0, 1, three});
  const uint32_t bytes = b.compute_dim(Opcode::MulDim, {rows, b.constant_dim(12)});
  const uint32_t slot = b.storage(bytes);
  b.emit(Opcode::Layout);
  const uint32_t x = b.tensor(Opcode::Param, 0);
  const uint32_t row = b.tensor(Opcode::Param, 1);
  const uint32_t sums = b.tensor(Opcode::Slot, slot, kFloat32, {rows, three});
  const uint32_t squares = b.tensor(Opcode::Result, 0, kFloat32, {rows, three});
  const uint32_t out = b.tensor(Opcode::Result, 1, kFloat32, {rows, three});
  b.call(add_row, {x, row, sums}, {rows, three});
  b.call(square_rows, {sums, squares}, {rows, three});
  b.emit(Opcode::Copy, {out, sums});
  b.emit(Opcode::Return);
}

void add_choose(ProgramBuilder& b, uint32_t square_rows, uint32_t is_positive) {
  const int64_t n = b.symbol("n");
  const int64_t m = b.symbol("m");
  b.begin_function("choose", {{"x", kFloat32, {n, m}}}, {{"y", kFloat32, {b.symbol("n * m")}}});
  const uint32_t rows = b.bind_dim(0, 0);
  const uint32_t columns = b.bind_dim(0, 1);
  b.guard_range(rows, 1, 64, "n");
  const uint32_t count = b.compute_dim(Opcode::MulDim, {rows, columns});
  const uint32_t slot = b.storage(b.constant_dim(1));
  b.emit(Opcode::Layout);
  const uint32_t x = b.tensor(Opcode::Param, 0);
  const uint32_t y = b.tensor(Opcode::Result, 0, kFloat32, {count});
  const uint32_t flat = b.tensor(Opcode::View, x, kFloat32, {count});
  const uint32_t flag = b.tensor(Opcode::Slot, slot, kBool, {});
  b.call(is_positive, {x, flag}, {});
  const uint32_t to_else = b.emit(Opcode::JumpIfFalse, {flag, 0});
  b.emit(Opcode::Copy, {y, flat});
  const uint32_t to_end = b.emit(Opcode::Jump, {0});
  b.land(to_else);
  b.call(square_rows, {x, y}, {rows, columns});
  b.land(to_end);
  b.emit(Opcode::Return);
}

void add_pair(ProgramBuilder& b, uint32_t add_row) {
  const int64_t n = b.symbol("n");
  const int64_t m = b.symbol("m");
  b.begin_function("pair", {{"a", kFloat32, {n, 2}}, {"b", kFloat32, {n, m}}}, {{"c", kFloat32, {n, 2}}});
  const uint32_t rows = b.bind_dim(0, 0);
  const uint32_t two = b.constant_dim(2);
  b.emit(Opcode::CheckDim, {0, 1, two});
  b.emit(Opcode::CheckDim, {1, 0, rows});
  const uint32_t columns = b.bind_dim(1, 1);
  const abi::StringRef condition = b.text("m == 2");
  b.emit(Opcode::CheckTrue, {b.compute_dim(Opcode::EqualDim, {columns, two}), condition.offset, condition.size});
  b.emit(Opcode::Layout);
  const uint32_t a = b.tensor(Opcode::Param, 0);
  const uint32_t second = b.tensor(Opcode::Param, 1);
  const uint32_t c = b.tensor(Opcode::Result, 0, kFloat32, {rows, two});
  b.call(add_row, {a, second, c}, {rows, two});
  b.emit(Opcode::Return);
}

void add_refuse(ProgramBuilder& b, uint32_t refuse_thirteen) {
  const int64_t n = b.symbol("n");
  b.begin_function("refuse", {{"x", kFloat32, {n}}}, {{"y", kFloat32, {n}}});
  const uint32_t rows = b.bind_dim(0, 0);
  b.emit(Opcode::Layout);
  const uint32_t x = b.tensor(Opcode::Param, 0);
  const uint32_t y = b.tensor(Opcode::Result, 0, kFloat32, {rows});
  b.call(refuse_thirteen, {}, {rows});
  b.emit(Opcode::Copy, {y, x});
  b.emit(Opcode::Return);
}

/// An inner function of x: (n, 3) and row: (3) to y: (n, 3); it has dims n, 3 and tensors x, row.
void begin_inner(ProgramBuilder& b, const char* name, uint32_t slots = 0) {
  const int64_t n = b.symbol("n");
  b.begin_inner_function(name, {{"x", kFloat32, {n, 3}}, {"row", kFloat32, {3}}}, {{"y", kFloat32, {n, 3}}});
  b.bind_dim(0, 0);
  const uint32_t three = b.constant_dim(3);
  b.emit(Opcode::CheckDim, {0, 1, three});
  b.emit(Opcode::CheckDim, {1, 0, three});
  const uint32_t one = b.constant_dim(1);
  for (uint32_t i = 0; i < slots; ++i) b.storage(one);
  b.emit(Opcode::Layout);
  b.tensor(Opcode::Param, 0);
  b.tensor(Opcode::Param, 1);
}

/// walk and climb add `row` to x until its first element is not positive; climb subtracts what it added by adding `row`
/// once more on its way back.
void add_callers(ProgramBuilder& b, uint32_t first_inner) {
  uint32_t callee = first_inner;
  for (const char* name : {"walk", "climb"}) {
    const int64_t n = b.symbol("n");
    b.begin_function(name, {{"x", kFloat32, {n, 3}}, {"row", kFloat32, {3}}}, {{"y", kFloat32, {n, 3}}});
    const uint32_t rows = b.bind_dim(0, 0);
    const uint32_t three = b.constant_dim(3);
    b.emit(Opcode::CheckDim, {0, 1, three});
    b.emit(Opcode::CheckDim, {1, 0, three});
    b.emit(Opcode::Layout);
    const uint32_t x = b.tensor(Opcode::Param, 0), row = b.tensor(Opcode::Param, 1), end = b.new_tensor();
    b.emit(Opcode::Invoke, {callee, x, rows, three, row, three, end, rows, three});
    b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {rows, three}), end});
    b.emit(Opcode::Return);
    callee += 2;
  }
}

void add_inner(ProgramBuilder& b, uint32_t add_row, uint32_t is_positive) {
  const uint32_t loop = b.function_count(), step = loop + 1, climb = loop + 2, climb_on = loop + 3, done = loop + 4;
  const auto flag_of = [&] {
    const uint32_t flag = b.tensor(Opcode::Slot, 0, kBool, {});
    b.call(is_positive, {0, flag}, {});
    return flag;
  };
  const auto sum_of = [&](uint32_t tensor) {
    const uint32_t sum = b.block(kFloat32, {0, 1});
    b.call(add_row, {tensor, 1, sum}, {0, 1});
    return sum;
  };
  begin_inner(b, "loop", 1);
  b.emit(Opcode::FollowIf, {flag_of(), step, 0, 0, 1, 1, 1, done, 0, 0, 1, 1, 1});
  begin_inner(b, "step");
  b.emit(Opcode::Follow, {loop, sum_of(0), 0, 1, 1, 1});
  begin_inner(b, "climber", 1);
  const uint32_t top = b.new_tensor();
  b.emit(Opcode::InvokeIf, {flag_of(), climb_on, 0, 0, 1, 1, 1, done, 0, 0, 1, 1, 1, top, 0, 1});
  b.emit(Opcode::Deliver, {top, 0, 1});
  begin_inner(b, "climb_on");
  const uint32_t here = sum_of(0), above = b.new_tensor();
  b.emit(Opcode::Invoke, {climb, here, 0, 1, 1, 1, above, 0, 1});
  b.emit(Opcode::Deliver, {sum_of(above), 0, 1});
  begin_inner(b, "done");
  b.emit(Opcode::Deliver, {0, 0, 1});
}

std::vector<uint8_t> to_vector(const io::Bytes& bytes) {
  std::vector<uint8_t> out(bytes.size());
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size());
  return out;
}

io::Bytes to_bytes(const std::vector<uint8_t>& data) {
  return io::Bytes::copy_of(std::as_bytes(std::span<const uint8_t>(data)));
}

std::string digest(const std::vector<uint8_t>& data) {
  return io::to_hex(io::sha256(std::as_bytes(std::span<const uint8_t>(data))));
}

}  // namespace

std::vector<uint8_t> tiny_program() {
  ProgramBuilder b;
  const uint32_t add_row = b.add_kernel("add_row", 3, 2);
  const uint32_t square_rows = b.add_kernel("square_rows", 2, 2);
  const uint32_t refuse_thirteen = b.add_kernel("refuse_thirteen", 0, 1);
  const uint32_t is_positive = b.add_kernel("is_positive", 2, 0);
  const uint32_t weight = b.add_weight("row", kFloat32, {3});
  add_main(b, weight, add_row, square_rows);
  add_choose(b, square_rows, is_positive);
  add_pair(b, add_row);
  add_refuse(b, refuse_thirteen);
  add_callers(b, b.function_count() + 2);
  add_inner(b, add_row, is_positive);
  return b.finish();
}

std::vector<uint8_t> preparing_program() {
  ProgramBuilder b;
  b.add_kernel("add_row", 3, 2);
  b.add_kernel("square_rows", 2, 2);
  b.add_kernel("refuse_thirteen", 0, 1);
  b.add_kernel("is_positive", 2, 0);
  const uint32_t raw = b.add_weight("row", kFloat32, {3}), prepared = b.add_weight("prepared", kFloat32, {3});
  const auto add = [&b](const char* name, const ProgramBuilder::Value& from, const ProgramBuilder::Value& to) {
    b.begin_function(name, {from}, {to});
    const uint32_t three = b.constant_dim(3);
    b.emit(Opcode::CheckDim, {0, 0, three});
    b.emit(Opcode::Layout);
    const uint32_t x = b.tensor(Opcode::Param, 0);
    b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {three}), x});
    b.emit(Opcode::Return);
  };
  add("main", {"w", kFloat32, {3}, prepared}, {"y", kFloat32, {3}});
  add("prepare", {"w", kFloat32, {3}, raw}, {"y", kFloat32, {3}, prepared});
  return b.finish();
}

std::vector<uint8_t> tiny_code() { return {std::begin(kKernelImage), std::end(kKernelImage)}; }

std::vector<uint8_t> tiny_weights() {
  const float row[3] = {10, 20, 30};
  io::Result<io::Chunks> chunks =
      io::write_safetensors({{"row", kFloat32, {3}, io::Bytes::copy_of(std::as_bytes(std::span<const float>(row)))}});
  return to_vector(io::join(*chunks));
}

std::string make_manifest(const ArtifactParts& parts) {
  io::JsonWriter w({.indent = 1});
  w.begin_object();
  w.key("format").value(1);
  w.key("producer").value("sunmao tests");
  w.key("kernel_abi").value(1);
  w.key("program").begin_object().key("sha256").value(digest(parts.program)).end_object();
  w.key("code").begin_array();
  for (const CodeEntry& code : parts.code) {
    w.begin_object().key("isa").value(code.isa).key("requires").begin_array();
    for (const std::string& feature : code.requires_features) w.value(feature);
    w.end_array().key("sha256").value(digest(code.bytes)).end_object();
  }
  w.end_array();
  if (!parts.weights.empty()) w.key("weights").begin_object().key("sha256").value(digest(parts.weights)).end_object();
  w.end_object();
  return w.take();
}

std::string make_artifact(const ArtifactParts& parts) {
  io::ZipWriter zip;
  bool ok = true;
  const auto add = [&](const std::string& name, io::Bytes data, uint32_t alignment) {
    if (name != parts.left_out) ok = zip.add(name, io::Chunks{std::move(data)}, alignment).ok() && ok;
  };
  add("manifest.json", io::Bytes::from(parts.manifest.empty() ? make_manifest(parts) : parts.manifest), 64);
  add("program.bin", to_bytes(parts.program), 64);
  for (const CodeEntry& code : parts.code) add("code/" + code.isa, to_bytes(code.bytes), parts.code_alignment);
  if (!parts.weights.empty()) add("weights.safetensors", to_bytes(parts.weights), 64);
  const io::Bytes file = io::join(std::move(zip).finish());
  return ok ? std::string(file.text()) : std::string();
}

}  // namespace sunmao::runtime::testing
