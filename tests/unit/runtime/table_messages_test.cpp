// The exact messages for tables of programs that are wrong.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "runtime/program.h"
#include "tests/unit/runtime/state_program.h"

namespace sunmao::runtime::testing {
namespace {

using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;
using Bytecode = std::vector<uint8_t>;
using Header = abi::ProgramHeader;
using Damage = std::function<void(Bytecode&)>;

constexpr uint32_t kFar = 1u << 30;  // outside of every pool
constexpr abi::ElementType kUnknown = {9, 9, 9}, kFloat64 = {2, 64, 1}, kHandle = {3, 64, 1};
// Rows of the tables of state_program.
constexpr size_t kX = 0, kY = 2, kLastOfSwap = 14, kFollow = 1, kInside = 7;

uint32_t header_field(const Bytecode& program, uint32_t Header::* field) {
  Header header;
  std::memcpy(&header, program.data(), sizeof(header));
  return header.*field;
}

/// Changes row `index` of a table.
template <class Row>
Damage row(uint32_t Header::* table, size_t index, const std::function<void(Row&)>& change) {
  return [=](Bytecode& program) {
    uint8_t* at = program.data() + header_field(program, table) + index * sizeof(Row);
    Row value;
    std::memcpy(&value, at, sizeof(Row));
    change(value);
    std::memcpy(at, &value, sizeof(Row));
  };
}
Damage weight(const std::function<void(abi::WeightRecord&)>& change) { return row(&Header::weight_offset, 0, change); }
Damage state(size_t index, const std::function<void(abi::StateRecord&)>& change) {
  return row(&Header::state_offset, index, change);
}
Damage value(size_t index, const std::function<void(abi::ValueRecord&)>& change) {
  return row(&Header::value_offset, index, change);
}
Damage function(size_t index, const std::function<void(abi::FunctionRecord&)>& change) {
  return row(&Header::function_offset, index, change);
}
Damage kernel(const std::function<void(abi::KernelRecord&)>& change) { return row(&Header::kernel_offset, 0, change); }

/// Replaces the first size of a row's shape.
template <class Row>
Damage size(uint32_t Header::* table, size_t index, int64_t size) {
  return [=](Bytecode& program) {
    uint32_t at = 0;
    row<Row>(table, index, [&](auto& r) { at = r.first_dim; })(program);
    row<int64_t>(&Header::dim_offset, at, [&](auto& dim) { dim = size; })(program);
  };
}

std::string status_of_tables(const Bytecode& program) {
  return Program::read(std::as_bytes(std::span<const uint8_t>(program))).status().to_string();
}
std::string table_message(const char* problem) {
  return std::string("E0854: program: ") + problem +
         "; the file is damaged or was not written by Sunmao; compile the model again";
}

struct WrongTable {
  const char* problem;
  Damage damage;
};

void expect_table_messages(const std::vector<WrongTable>& all) {
  for (const WrongTable& wrong : all) {
    Bytecode program = state_program();
    ASSERT_EQ(status_of_tables(program), "ok");
    wrong.damage(program);
    EXPECT_EQ(status_of_tables(program), table_message(wrong.problem));
  }
}

TEST(TableMessages, E0854_weights) {
  expect_table_messages({
      {"weight 0: its name is outside the string pool", weight([](auto& w) { w.name.offset = kFar; })},
      {"weight 0: its name is outside the string pool", weight([](auto& w) { w.name.size = kFar; })},
      {"weight `row`: unknown element type type(9, 9, 9)", weight([](auto& w) { w.type = kUnknown; })},
      {"weight `row`: a handle, which a program gives when it runs", weight([](auto& w) { w.type = kHandle; })},
      {"weight `row`: its shape is outside the dim pool", weight([](auto& w) { w.first_dim = kFar; })},
      {"weight `row`: its shape is outside the dim pool", weight([](auto& w) { w.rank = abi::kMaxRank + 1; })},
      {"weight `row`: its shape is no size", size<abi::WeightRecord>(&Header::weight_offset, 0, -1)},
  });
}

TEST(TableMessages, E0854_states) {
  expect_table_messages({
      {"state 0: its name is outside the string pool", state(0, [](auto& s) { s.name.offset = kFar; })},
      {"state `sum`: unknown element type type(9, 9, 9)", state(0, [](auto& s) { s.type = kUnknown; })},
      {"state `sum`: its shape is outside the dim pool", state(0, [](auto& s) { s.first_dim = kFar; })},
      {"state `sum`: its shape is no size", size<abi::StateRecord>(&Header::state_offset, 0, -1)},
      {"state `sum`: there is no weight 9", state(0, [](auto& s) { s.weight = 9; })},
      {"state `row`: its type or shape is not that of its weight", state(1, [](auto& s) { s.type = kFloat64; })},
      {"state `row`: its type or shape is not that of its weight", size<abi::StateRecord>(&Header::state_offset, 1, 4)},
      {"two states are called `sum`",
       [](auto& program) {
         abi::StringRef name = {};
         state(0, [&](auto& s) { name = s.name; })(program);
         state(1, [&](auto& s) { s.name = name; })(program);
       }},
  });
}

TEST(TableMessages, E0854_values_and_kernels) {
  expect_table_messages({
      {"value 0: its name is outside the string pool", value(kX, [](auto& v) { v.name.offset = kFar; })},
      {"value `x`: unknown element type type(9, 9, 9)", value(kX, [](auto& v) { v.type = kUnknown; })},
      {"value `x`: its shape is outside the dim pool", value(kX, [](auto& v) { v.first_dim = kFar; })},
      {"value `x`: a symbol of its shape is outside the string pool",
       size<abi::ValueRecord>(&Header::value_offset, kX, -int64_t{kFar})},
      {"value `x`: there is no state 9", value(kX, [](auto& v) { v.weight = abi::kState + 9; })},
      {"value `sum`: its type or shape is not that of its state", value(kX + 1, [](auto& v) { v.type = kFloat64; })},
      {"value `x`: there is no weight 9", value(kX, [](auto& v) { v.weight = 9; })},
      {"value `x`: its type or shape is not that of its weight", value(kX,
                                                                       [](auto& v) {
                                                                         v.weight = 0;
                                                                         v.type = kFloat64;
                                                                       })},
      {"kernel 0: its name is outside the string pool", kernel([](auto& k) { k.name.offset = kFar; })},
  });
}

TEST(TableMessages, E0854_functions) {
  expect_table_messages({
      {"function 0: its name is outside the string pool", function(0, [](auto& f) { f.name.offset = kFar; })},
      {"function `add`: its values or words do not follow those of the function before",
       function(0, [](auto& f) { f.first_word = 1; })},
      {"function `follow`: its values or words do not follow those of the function before",
       function(kFollow, [](auto& f) { ++f.first_param; })},
      {"function `follow`: its values or words do not follow those of the function before",
       function(kFollow, [](auto& f) { ++f.first_result; })},
      {"function `add_inside`: its values or words are outside their tables",
       function(kInside, [](auto& f) { f.word_count += 1000; })},
      {"function `add_inside`: its values or words are outside their tables",
       function(kInside, [](auto& f) { ++f.result_count; })},
      {"function `add`: more registers or slots than its instructions could define",
       function(0, [](auto& f) { f.dim_registers = kFar; })},
      {"function `add`: more registers or slots than its instructions could define",
       function(0, [](auto& f) { f.storage_slots = kFar; })},
      {"function `add`: it has a state twice", value(kX, [](auto& v) { v.weight = kSum; })},
      {"function `swap`: a result behind those that are states", value(kLastOfSwap, [](auto& v) { v.weight = kNone; })},
      {"function `add`: sizes in place of a tensor", value(kY, [](auto& v) { v.type = abi::kSizes; })},
      {"two functions are called `add`",
       [](auto& program) {
         abi::StringRef name = {};
         function(0, [&](auto& f) { name = f.name; })(program);
         function(kFollow, [&](auto& f) { f.name = name; })(program);
       }},
      {"function `add_inside`: an inner function with a weight or state",
       [](auto& program) {
         uint32_t first = 0;
         function(kInside, [&](auto& f) { first = f.first_param; })(program);
         value(first, [](auto& v) { v.weight = kSum; })(program);
       }},
  });
}

/// Adds a function that copies the weight `from` to the weight `to`; kNone: to or from what a caller has.
void add_maker(ProgramBuilder& b, const char* name, uint32_t from, uint32_t to, int64_t size = 2) {
  b.begin_function(name, {{"from", kFloat32, {2}, from}}, {{"to", kFloat32, {size}, to}});
  const uint32_t two = b.constant_dim(2);
  b.emit(Opcode::CheckDim, {0, 0, two});
  b.emit(Opcode::Layout);
  const uint32_t x = b.tensor(Opcode::Param, 0);
  b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {two}), x});
  b.emit(Opcode::Return);
}

TEST(TableMessages, E0854_makers_of_weights) {
  const std::pair<const char*, Body> all[] = {
      {"function `other`: it comes behind functions that make weights",
       [](auto& b) {
         add_maker(b, "first", 0, 1);
         add_maker(b, "other", kNone, kNone);
       }},
      {"function `first`: it makes weights, and a parameter or result of it is none",
       [](auto& b) { add_maker(b, "first", kNone, 1); }},
      {"function `first`: it makes a weight, and a size of its shape is a symbol",
       [](auto& b) { add_maker(b, "first", 0, 1, b.symbol("n")); }},
      {"function `second`: it makes the weight `made` that another function made or took before",
       [](auto& b) {
         add_maker(b, "first", 0, 1);
         add_maker(b, "second", 0, 1);
       }},
      {"function `first`: it makes the weight `raw` that another function made or took before",
       [](auto& b) { add_maker(b, "first", 0, 0); }},
  };
  for (const auto& [problem, add] : all) {
    ProgramBuilder b;
    b.add_weight("raw", kFloat32, {2});
    b.add_weight("made", kFloat32, {2});
    add(b);
    EXPECT_EQ(status_of_tables(b.finish()), table_message(problem));
  }
}

TEST(TableMessages, E0851_and_E0854_headers) {
  const auto header = [](uint32_t Header::* field, uint32_t value) {
    Bytecode program = state_program();
    Header changed;
    std::memcpy(&changed, program.data(), sizeof(changed));
    changed.*field = value;
    std::memcpy(program.data(), &changed, sizeof(changed));
    return status_of_tables(program);
  };
  const std::string size = std::to_string(state_program().size());
  EXPECT_EQ(status_of_tables({}), table_message("0 bytes cannot be a program"));
  EXPECT_EQ(header(&Header::magic, 1), table_message("this is no Sunmao bytecode (wrong magic number)"));
  EXPECT_EQ(header(&Header::version, 99),
            "E0851: program: bytecode version 99, this runtime reads versions 2 to 8; compile the model with the "
            "Sunmao that this runtime belongs to");
  EXPECT_EQ(header(&Header::file_size, 7), "E0854: program: the file has " + size +
                                               " bytes, its header says 7; the file is damaged or was not written "
                                               "by Sunmao; compile the model again");
  EXPECT_EQ(header(&Header::inner_function_count, 99), table_message("99 inner functions of 8"));
  EXPECT_EQ(header(&Header::state_count, kFar), table_message("section `states` does not lie inside the file"));
  Bytecode cut = state_program();  // long enough for version 2, too short for its own
  cut.resize(abi::kHeaderBytesOfVersion2);
  const auto length = static_cast<uint32_t>(cut.size());
  std::memcpy(cut.data() + 8, &length, 4);
  EXPECT_EQ(status_of_tables(cut), table_message("68 bytes cannot be a program"));
}

}  // namespace
}  // namespace sunmao::runtime::testing
