// Bytecode format of `program.bin`, which encodes the graph level. Written by src/codegen/vm, verified and run by
// runtime/. Little endian and 4-byte aligned throughout. The verifier checks every index before a program runs.
#pragma once
#include <cstdint>

namespace sunmao::abi {

inline constexpr uint32_t kBytecodeMagic = 0x43424d53;  // "SMBC"
// Since 2, elements of less than a byte are packed; since 3, functions call functions; since 4, data decides sizes;
// since 5, callers pass sizes and get them, and functions of the host are called; since 6, tensors are updated in
// place, and sessions keep state; since 7, tensors lie in parts of others; since 8, kernels say which buffers they
// write.
inline constexpr uint32_t kBytecodeVersion = 8;
inline constexpr uint32_t kOldestBytecodeVersion = 2;
inline constexpr uint32_t kNone = 0xffffffff;

/// A slice of the string pool (UTF-8, not NUL-terminated).
struct StringRef {
  uint32_t offset;
  uint32_t size;
};

/// Offsets are in bytes from the start of the file: multiples of 4 for records and words, of 8 for the dim pool, any
/// for strings.
struct ProgramHeader {
  uint32_t magic;
  uint32_t version;
  uint32_t file_size;
  uint32_t function_offset, function_count;  // FunctionRecord
  uint32_t value_offset, value_count;        // ValueRecord: parameters and results of all functions
  uint32_t weight_offset, weight_count;      // WeightRecord
  uint32_t kernel_offset, kernel_count;      // KernelRecord, in the order of the code image's table
  uint32_t dim_offset, dim_count;            // int64_t: static dimensions; offset is a multiple of 8
  uint32_t word_offset, word_count;          // uint32_t: instructions
  uint32_t string_offset, string_size;
  uint32_t inner_function_count;           // the last functions, which other functions call; absent in version 2: 0
  uint32_t state_offset, state_count;      // StateRecord; absent before version 6: none
  uint32_t written_offset, written_count;  // uint32_t: `written_words` of each kernel; absent before version 8: unknown
};
inline constexpr uint32_t kHeaderBytesOfVersion2 = 68, kHeaderBytesOfVersion3 = 72, kHeaderBytesOfVersion6 = 80;

/// Returns how many bytes of a header a version has.
constexpr uint32_t header_bytes(uint32_t version) {
  if (version >= 8) return sizeof(ProgramHeader);
  if (version >= 6) return kHeaderBytesOfVersion6;
  return version == 2 ? kHeaderBytesOfVersion2 : kHeaderBytesOfVersion3;
}

/// An element type with DLPack's type codes.
struct ElementType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

/// The type of a parameter that is sizes. Functions get them without a tensor; the model's caller passes an int64
/// tensor of rank 1 that holds them.
inline constexpr ElementType kSizes = {255, 0, 0};

/// In place of a tensor register: kDelivered + i is result i of the function that was called just before.
inline constexpr uint32_t kDelivered = 0x80000000;

/// In place of a weight: kState + s is state s.
inline constexpr uint32_t kState = 0x80000000;

/// A parameter or result. Each of its dimensions is a known size or a named symbol: in the dim pool n >= 0 is a size,
/// and -(k + 1) refers to the NUL-terminated symbol at byte k of the string pool.
struct ValueRecord {
  StringRef name;
  ElementType type;
  uint32_t rank;
  uint32_t first_dim;  // into the dim pool, `rank` entries; for messages and `inspect` only: instructions do the checks
  uint32_t weight;     // of a parameter: the weight that it is bound to; kNone: the caller passes it
                       // of a result: the weight that it becomes at load time; kNone: it is returned
                       // kState + s: the present value of state s, and its next one
};

struct WeightRecord {
  StringRef name;  // the tensor of this name in weights.safetensors
  ElementType type;
  uint32_t rank;
  uint32_t first_dim;  // into the dim pool, all >= 0
};

/// What a session keeps between runs. Its sizes may change where functions have symbols for them.
struct StateRecord {
  StringRef name;  // unique
  ElementType type;
  uint32_t rank;
  uint32_t first_dim;  // sizes of the first value, all >= 0
  uint32_t weight;     // the first value; kNone: zeros
};

struct KernelRecord {
  StringRef name;
  uint32_t buffer_count;
  uint32_t dim_count;
};

/// Returns how many words say which buffers a kernel writes: bit i % 32 of word i / 32 is set for each buffer i of
/// them.
constexpr uint32_t written_words(const KernelRecord& kernel) {
  return kernel.buffer_count / 32 + (kernel.buffer_count % 32 != 0);
}

/// Values and words are stored in the order of functions without gaps: parameters of function 0, its results,
/// parameters of function 1 …; `first_word` is the end of the previous function's words. Names of functions are unique.
///
/// A maker is a function whose results become weights: all its results do, and all its parameters are bound to weights.
/// Makers follow the functions that callers see; a weight has at most one maker, which precedes the makers that use it.
///
/// A function with state has parameters or results that are bound to states. It delivers its results or ends with a
/// call; those bound to states follow all others. No two parameters, and no two results, are bound to the same state.
/// Blocks of states that it writes belong to the running function.
///
/// An inner function is called by others: branches, loops and what a model calls. Inner functions are the last ones.
/// None of their parameters and results is bound to a weight or a state; they write results where they like and deliver
/// them.
///
/// An inner function without instructions is one of the host: of the program that runs the model. Its name is the form
/// of the call (`sunmao_host_call`), which begins with the name of the host's function and a parenthesis. What it
/// delivers are tensors of the types and ranks that its results state; of sizes that are known before or, in a chain,
/// of any.
struct FunctionRecord {
  StringRef name;
  uint32_t first_param, param_count;    // ValueRecords
  uint32_t first_result, result_count;  // ValueRecords
  uint32_t dim_registers;               // int64 registers
  uint32_t tensor_registers;
  uint32_t storage_slots;
  uint32_t first_word, word_count;
};

/// An instruction is a head word, `opcode | total_words << 16`, followed by operands of one word each; a 64-bit
/// immediate takes two, low word first. d* are dim registers, t* tensor registers, s a storage slot, p and r indices of
/// the function's parameters and results, k a kernel, w a weight, f an inner function, str a byte offset and a size in
/// the string pool (two words). `args` of a function are, for each of its parameters, a tensor register (kNone where
/// the parameter is of type kSizes) and as many dim registers as its rank: the sizes. For sizes that data decides,
/// these words are kNone, and the register of a parameter of type kSizes is an int64 tensor that holds them, or stands
/// for one that was delivered.
///
/// A function has two parts. The entry part (opcodes 0x01 to 0x20) binds dims, checks guards, computes sizes and
/// declares storage; `Layout` ends it. Its result depends on the input shapes alone, so the runtime caches it for calls
/// with the same shapes. The body (opcodes from 0x30) follows; jumps stay inside it and go forwards only.
///
/// A size that data decides is known to no layout but that of a function which gets it: what needs it is such a
/// function. `Chain` calls one function and then another, which may take what the first delivers, at any size.
///
/// Ownership: a slot is memory of the running function and ends with it. A block is owned by one function at a time.
/// `Deliver` moves the blocks that the function owns to its caller. A call in tail position (`Follow`, the second one
/// of `Chain`) moves those among its arguments to the callee; in other calls the callee borrows them, unless `Give`
/// moves one. So a loop is a function that ends with a call of itself, and what it carries is moved and never copied.
///
/// Besides indices in range the verifier requires:
/// - Each register is defined by exactly one instruction, which dominates all uses; each storage slot by exactly one
///   `Storage`. (Branches that join write to memory that a tensor register named before them.)
/// - Every axis of a parameter that is passed or a state is bound or checked; one of static size is checked.
/// - Each result has exactly one `Result`, on every path; the only `Return` is the last instruction; no instruction
///   is unreachable. In inner functions every path ends with a call (`Follow`, `FollowIf`, `Chain`, `ChainIf`) or with
///   `Deliver` instead. A function that callers see and that makes no weights may end with calls as well: it has no
///   `Result` and no `Return` then, and what is delivered to it is its results. One with state may also `Deliver`.
/// - Arguments, and what is delivered, do not lie in slots or parts: a function may deliver what it was given.
/// - Functions of the host are called by `Invoke`, or first in a `Chain`.
/// - The functions of a choice have results of the same types and ranks; a function that takes the place of the one
/// that
///   ends has results of the types and ranks of that.
/// - What was delivered is passed by `Chain` and `ChainIf` alone, as a parameter of its type and rank.
/// - `Call` has as many buffers and dims as the kernel's record states. Those that it writes, and what `Copy` writes,
/// are
///   no constants, no parameters and no views or parts of these.
/// Byte sizes depend on shapes and are checked when a layout is made: slot tensors fit their slots, `View` keeps the
/// size, a `Part` lies inside and is aligned to its elements, the source of `Copy` is large enough, a condition is one
/// byte, arguments have the sizes that are stated. That results have the stated sizes is checked when they are
/// delivered.
enum class Opcode : uint16_t {
  BindDim = 0x01,     // d p axis          d = shape of parameter p at axis
  CheckDim = 0x02,    // p axis d          error unless shape of p at axis equals d
  GuardRange = 0x03,  // d lo:64 hi:64 str error unless lo <= d <= hi; str is the symbol's name
  ConstDim = 0x10,    // d value:64
  AddDim = 0x11,      // d a b             a, b: dim registers; overflow is a run-time error, in all of these
  SubDim = 0x12,
  MulDim = 0x13,
  FloorDivDim = 0x14,  // division by zero is a run-time error
  FloorModDim = 0x15,
  MinDim = 0x16,
  MaxDim = 0x17,
  EqualDim = 0x18,     // 1 or 0
  LessDim = 0x19,      // 1 or 0
  SelectDim = 0x1a,    // d c a b           d = c != 0 ? a : b
  CheckTrue = 0x1b,    // c str             error with the text str unless c != 0; E0905 where c is an EqualDim's
  Storage = 0x20,      // s d               slot s has d bytes (d >= 0), aligned to 64
  Layout = 0x21,       //                   ends the entry part: all slots get their place in the arena
  Slot = 0x30,         // t s type rank d…  tensor in slot s at byte 0; type: code | bits << 8 | lanes << 16
  Param = 0x31,        // t p               what the caller passed, or the weight that the parameter is bound to
  Constant = 0x32,     // t w
  Result = 0x33,       // t r type rank d…  the memory of result r, this shape; must be executed once for each result
  View = 0x34,         // t t2 type rank d… the storage of t2, as another shape of equally many bytes
  Part = 0x35,         // t t2 d type rank d…  a part of the storage of t2, from byte d on
  Block = 0x36,        // t type rank d…    a tensor in a block
  Values = 0x37,       // t n d…            an int64 tensor of n elements in a block: the dims
  CheckValues = 0x38,  // t n d…            error unless the int64 tensor t has the dims as elements
  Own = 0x39,          // t t2 n t…         t = t2 at its last use, as a block that may be written: moved if the running
                       //                   function owns t2's block and none of the n tensors aliases it, else copied
  Give = 0x3a,         // t n t…            moves t's block to the function that is called next, at the last use of t;
                       //                   no effect unless the running function owns it and none of the n aliases it
  Call = 0x40,         // k n m t… d…       kernel k on n buffers and m dims
  Copy = 0x41,         // t t2              t = the first bytes of t2, which has as many or more
  Jump = 0x50,         // word              an instruction's first word, counted from the function's first word
  JumpIfFalse = 0x51,  // t word           t: a bool tensor of one element
  Invoke = 0x52,       // f args (t d…)…    calls f; then for each result: its register and its sizes
  InvokeIf = 0x53,     // t f args f2 args2 (t d…)…   calls f where the bool tensor t is true, else f2
  Follow = 0x54,       // f args            ends with a call: what f delivers, this function delivers
  FollowIf = 0x55,     // t f args f2 args2
  Chain = 0x57,        // f args g args   calls f, then ends with the call of g
  ChainIf = 0x58,      // t f args f2 args2 g args
  Deliver = 0x56,      // (t d…)…           ends a function: for each result, the tensor and its sizes
  Return = 0x5f,       //
};

/// Limits, far above what real programs need. The verifier enforces the first two; the third is the most that the 16
/// bits of a head word can state.
inline constexpr uint32_t kMaxRank = 64;
inline constexpr uint32_t kMaxRegisters = 1u << 24;  // of each kind; also storage slots
inline constexpr uint32_t kMaxInstructionWords = 0xffff;

static_assert(sizeof(ProgramHeader) == 22 * 4 && sizeof(ValueRecord) == 24 && sizeof(WeightRecord) == 20 &&
              sizeof(StateRecord) == 24 && sizeof(KernelRecord) == 16 && sizeof(FunctionRecord) == 44);

}  // namespace sunmao::abi
