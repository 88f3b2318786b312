#include "runtime/slot_places.h"

#include <algorithm>

#include "runtime/instruction.h"

namespace sunmao::runtime {
namespace {

using abi::Opcode;

/// Calls `use` with each tensor register that an instruction uses.
template <class Use>
void for_each_use(const ProgramTables& tables, const FunctionView& function, const uint32_t* words, const Use& use) {
  const abi::FunctionRecord* callee = nullptr;
  const uint32_t* next = words + 1;
  const auto values = [&](std::span<const abi::ValueRecord> records, bool are_used) {
    for (const abi::ValueRecord& value : records) {
      if (are_used && *next < abi::kDelivered) use(*next);
      next += 1 + value.rank;
    }
  };
  for (const char* operand = find_opcode(words[0] & 0xffff)->operands; *operand; ++operand) switch (*operand) {
      case 't': use(*next++); break;
      case 'f':
      case 'g': callee = &tables.functions[*next++]; break;
      case '<': values(tables.params(*callee), true); break;
      case '>': values(tables.results(*callee), false); break;
      case '=': values(function.results, true); break;
      case 'x':
      case '$': next += 2; break;
      case '*': next += 1 + *next; break;
      case '#':
        for (uint32_t i = 0; i < next[0]; ++i) use(next[1 + i]);
        next += 1 + next[0];
        break;
      case '@':
        for (uint32_t i = 0; i < next[0]; ++i) use(next[2 + i]);
        next += 2 + next[0] + next[1];
        break;
      default: ++next;
    }
}

}  // namespace

std::vector<SlotLife> slot_lives(const ProgramTables& tables, const FunctionView& function) {
  std::vector<SlotLife> lives(function.storage_slots);
  std::vector<uint32_t> slot_of(function.tensor_registers, abi::kNone);
  const std::span<const uint32_t> words = function.words;
  for (size_t at = 0; at < words.size(); at += length_of(words[at])) {
    const uint32_t* w = words.data() + at;
    const auto use_slot = [&](uint32_t slot) {
      if (slot == abi::kNone) return;
      lives[slot].first = std::min(lives[slot].first, at);
      lives[slot].last = at;
    };
    for_each_use(tables, function, w, [&](uint32_t reg) { use_slot(slot_of[reg]); });
    if (opcode_of(w[0]) == Opcode::Slot) use_slot(slot_of[w[1]] = w[2]);
    if (opcode_of(w[0]) == Opcode::View || opcode_of(w[0]) == Opcode::Part) slot_of[w[1]] = slot_of[w[2]];
  }
  return lives;
}

}  // namespace sunmao::runtime
