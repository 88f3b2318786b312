#include "script/intrinsics.h"

#include <algorithm>
#include <array>

#include "loop/intrinsics/table.h"

namespace sunmao::script {
namespace {

struct Operator {
  BinaryOp op;
  const char* symbol;  // null when the operator has only a functional spelling
  int precedence;
  const char* function;
};
// How scripts write the binary operators; indexed by BinaryOp.
constexpr std::array<Operator, 17> kBinaryOperators{{{BinaryOp::Add, "+", 5, "Add"},
                                                     {BinaryOp::Sub, "-", 5, "Sub"},
                                                     {BinaryOp::Mul, "*", 6, "Mul"},
                                                     {BinaryOp::Div, "/", 6, "Div"},
                                                     {BinaryOp::TruncMod, nullptr, 0, "truncmod"},
                                                     {BinaryOp::FloorDiv, "//", 6, "FloorDiv"},
                                                     {BinaryOp::FloorMod, "%", 6, "FloorMod"},
                                                     {BinaryOp::Min, nullptr, 0, "min"},
                                                     {BinaryOp::Max, nullptr, 0, "max"},
                                                     {BinaryOp::Eq, "==", 4, "EQ"},
                                                     {BinaryOp::Ne, "!=", 4, "NE"},
                                                     {BinaryOp::Lt, "<", 4, "LT"},
                                                     {BinaryOp::Le, "<=", 4, "LE"},
                                                     {BinaryOp::Gt, ">", 4, "GT"},
                                                     {BinaryOp::Ge, ">=", 4, "GE"},
                                                     {BinaryOp::And, "and", 2, "And"},
                                                     {BinaryOp::Or, "or", 1, "Or"}}};

struct Alias {
  std::string_view function;
  BinaryOp op;
};
constexpr std::array<Alias, 14> kAliases{{{"add", BinaryOp::Add},
                                          {"subtract", BinaryOp::Sub},
                                          {"multiply", BinaryOp::Mul},
                                          {"div", BinaryOp::Div},
                                          {"truncdiv", BinaryOp::Div},
                                          {"Mod", BinaryOp::TruncMod},
                                          {"floordiv", BinaryOp::FloorDiv},
                                          {"floormod", BinaryOp::FloorMod},
                                          {"indexdiv", BinaryOp::FloorDiv},
                                          {"indexmod", BinaryOp::FloorMod},
                                          {"Min", BinaryOp::Min},
                                          {"Max", BinaryOp::Max},
                                          {"logical_and", BinaryOp::And},
                                          {"logical_or", BinaryOp::Or}}};

constexpr std::array<std::string_view, 8> kDTypeFirst{"call_extern",      "call_pure_extern",      "call_intrin",
                                                      "call_llvm_intrin", "call_llvm_pure_intrin", "reinterpret",
                                                      "type_annotation",  "get_active_lane_mask"};
constexpr std::array<std::string_view, 2> kTests{"isnullptr", "assume"};
constexpr std::array<std::string_view, 9> kPointers{
    "address_of",           "tvm_access_ptr",  "tvm_stack_alloca",       "tvm_stack_make_array",
    "tvm_stack_make_shape", "ptr_byte_offset", "handle_add_byte_offset", "TVMBackendAllocWorkspace",
    "anylist_getitem"};
constexpr std::array<std::string_view, 48> kStatements{
    "grid",         "serial",         "parallel",     "vectorized",
    "unroll",       "thread_binding", "sblock",       "block",
    "init",         "reads",          "writes",       "where",
    "sblock_attr",  "block_attr",     "alloc_buffer", "sblock_alloc_buffer",
    "Buffer",       "match_buffer",   "decl_buffer",  "allocate",
    "attr",         "func_attr",      "evaluate",     "let",
    "LetStmt",      "bind",           "prim_func",    "handle",
    "ptr",          "launch_thread",  "Assert",       "While",
    "buffer_store", "env_thread",     "alloc_local",  "alloc_shared",
    "local_scalar", "shared_scalar",  "alloc_scalar", "decl_scalar",
    "comm_reducer", "target",         "index_map",    "iter_var",
    "Range",        "Return",         "meta_var"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}
const Operator& entry(BinaryOp op) { return kBinaryOperators[static_cast<size_t>(op)]; }

}  // namespace

std::optional<BinaryOp> find_operator(std::string_view function) {
  for (const Operator& o : kBinaryOperators)
    if (o.function == function) return o.op;
  for (const Alias& a : kAliases)
    if (a.function == function) return a.op;
  return std::nullopt;
}

const char* symbol_of(BinaryOp op) { return entry(op).symbol; }
int precedence_of(BinaryOp op) { return entry(op).precedence; }
const char* function_of(BinaryOp op) { return entry(op).function; }

bool takes_dtype_first(std::string_view name) { return contains(kDTypeFirst, name); }
bool takes_dtype_last(std::string_view name) { return name == "tvm_struct_get"; }
bool adapts_numbers(std::string_view name) {
  const Intrinsic* known = find_intrinsic(name);
  return name == "if_then_else" || name == "nextafter" ||
         (known && known->arity > 1 && known->operands != Operands::Integers);
}
bool is_statement_name(std::string_view name) { return contains(kStatements, name); }

DType default_dtype(std::string_view name, std::span<const Scalar> args) {
  if (contains(kPointers, name)) return DType::handle();
  if (name == "if_then_else" && args.size() == 3) return args[1]->dtype;
  if ((name == "dp2a" || name == "dp4a") && args.size() == 3) return args[2]->dtype;
  const Intrinsic* known = find_intrinsic(name);
  if (known && known->result == Intrinsic::Result::OneBool) return DType::bool_();
  const bool is_test = (known && known->result == Intrinsic::Result::Bool) || contains(kTests, name);
  if (is_test && !args.empty()) return DType::bool_().with_lanes(args[0]->dtype.all_lanes());
  for (const Scalar& a : args)
    if (!find<StringImm>(a)) return a->dtype;
  return DType::int_(32);
}

}  // namespace sunmao::script
