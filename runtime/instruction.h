// Instruction table of abi/bytecode.h: name and operand kinds of each opcode, and functions that decode words. The
// verifier and the disassembler are driven by this table; the machine trusts verified words.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "abi/bytecode.h"

namespace sunmao::runtime {

/// Operands, a letter each:
///   D dim register defined     d dim register used       x a 64-bit immediate, two words
///   T tensor register defined  t tensor register used    $ a string, two words
///   p parameter                a axis of that parameter   r result    w weight    k kernel    s slot    j jump target
///   S slot defined             y element type             * a rank, then that many dim registers used
///   @ counts n and m, then n tensor registers used and m dim registers used
///   # a count, then that many tensor registers used
///   f inner function           g inner function that takes the place of the one that ends
///   < arguments of that function (abi/bytecode.h)
///   > for each result of that function: a tensor register defined, as many dim registers used as its rank
///   = for each result of the function itself: a tensor register used, as many dim registers used as its rank
struct OpcodeInfo {
  abi::Opcode opcode;
  const char* name;
  const char* operands;
};

/// Returns nullptr for a number that is no opcode.
const OpcodeInfo* find_opcode(uint32_t number);

inline bool is_entry_opcode(abi::Opcode opcode) { return opcode <= abi::Opcode::Storage; }
inline bool is_body_opcode(abi::Opcode opcode) { return opcode >= abi::Opcode::Slot; }

/// True for instructions that nothing follows on their path.
inline bool ends_path(abi::Opcode opcode) { return opcode >= abi::Opcode::Follow && opcode <= abi::Opcode::Return; }
/// True for calls of functions that take the place of the one that ends.
inline bool ends_with_call(abi::Opcode opcode) {
  return ends_path(opcode) && opcode != abi::Opcode::Deliver && opcode != abi::Opcode::Return;
}
/// True for instructions that begin with a choice of two functions.
inline bool is_choice(abi::Opcode opcode) {
  return opcode == abi::Opcode::InvokeIf || opcode == abi::Opcode::FollowIf || opcode == abi::Opcode::ChainIf;
}
/// True for a parameter that is sizes.
inline bool is_sizes(abi::ElementType type) { return type.code == abi::kSizes.code; }
/// The type of a tensor that holds sizes: int64.
inline constexpr abi::ElementType kSizeType = {0, 64, 1};
/// True for a word in place of a tensor register that stands for what was delivered.
inline bool is_delivered(uint32_t reg) { return reg >= abi::kDelivered && reg != abi::kNone; }

inline abi::Opcode opcode_of(uint32_t head) { return static_cast<abi::Opcode>(head & 0xffff); }
inline uint32_t length_of(uint32_t head) { return head >> 16; }

inline int64_t immediate_at(const uint32_t* words) {
  return static_cast<int64_t>(uint64_t{words[0]} | uint64_t{words[1]} << 32);
}

}  // namespace sunmao::runtime
