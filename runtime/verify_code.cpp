#include "runtime/verify_code.h"

#include <algorithm>

#include "io/concat.h"
#include "runtime/dominator_tree.h"
#include "runtime/element_type.h"
#include "runtime/entry_axes.h"
#include "runtime/instruction.h"

namespace sunmao::runtime {
namespace {

using abi::kNone;
using abi::Opcode;
using io::concat;
using io::quoted;
using io::Status;

/// Verifies instructions in program order: jumps go forwards, so all predecessors of an instruction precede it.
class CodeVerifier {
 public:
  CodeVerifier(const ProgramTables& tables, const abi::FunctionRecord& function, bool is_inner)
      : t_(tables), f_(function), is_inner_(is_inner),
        words_(tables.words.subspan(function.first_word, function.word_count)), params_(tables.params(function)),
        results_(tables.results(function)), entries_(words_.size(), kNone), dim_blocks_(function.dim_registers, kNone),
        tensor_blocks_(function.tensor_registers, kNone), makers_(function.tensor_registers),
        is_fixed_(function.tensor_registers, false), has_slot_(function.storage_slots, false),
        result_blocks_(function.result_count, kNone), axes_(params_) {}

  Status run() {
    if (words_.empty() && is_inner_) return check_host();
    while (at_ < words_.size()) {
      SUNMAO_TRY(begin_instruction());
      SUNMAO_TRY(check_place());
      SUNMAO_TRY(check_operands());
      SUNMAO_TRY(end_instruction());
    }
    if (falls_through_) return fail_at_end("the last instruction is no `Return`");
    return {};
  }

 private:
  Status fail(const std::string& problem) const {
    return Status::error("E0855",
                         concat("program: function ", quoted(t_.text(f_.name)), ", word ", at_,
                                info_ ? concat(" (", info_->name, ")") : std::string(), ": ", problem),
                         "the file is damaged or was not written by Sunmao; compile the model again");
  }
  Status fail_at_end(const std::string& problem) {
    info_ = nullptr;
    return fail(problem);
  }

  Status check_host() {
    const std::string_view form = t_.text(f_.name);
    const size_t name = form.find('(');
    if (name == 0 || name == std::string_view::npos || form.find('\0') != std::string_view::npos)
      return fail_at_end("it has no instructions, and is no function of the host");
    return {};
  }

  /// Decodes the head word and determines the basic block of the instruction.
  Status begin_instruction() {
    info_ = nullptr;
    const uint32_t head = words_[at_];
    const OpcodeInfo* info = find_opcode(head & 0xffff);
    if (!info) return fail(concat("unknown opcode ", head & 0xffff));
    info_ = info;
    callee_ = source_ = nullptr;
    if (length_of(head) == 0 || length_of(head) > words_.size() - at_)
      return fail(concat("its length of ", length_of(head), " words is outside the function"));
    end_ = at_ + length_of(head);
    next_ = at_ + 1;
    if (is_done_) return fail("instructions after `Return`");
    uint32_t from = entries_[at_];
    if (falls_through_) from = from == kNone ? block_ : tree_.common(from, block_);
    if (from == kNone) return fail("it cannot be reached");
    if (entries_[at_] != kNone || ends_block_) block_ = tree_.add(from);
    for (size_t inside = at_ + 1; inside < end_; ++inside)
      if (entries_[inside] != kNone) return fail(concat("a jump leads into its middle, to word ", inside));
    return {};
  }

  /// Checks the order: entry part, `Layout`, body.
  Status check_place() {
    const Opcode opcode = info_->opcode;
    if (is_entry_opcode(opcode))
      return has_layout_ ? fail("an instruction of the entry part after `Layout`") : Status();
    if (is_body_opcode(opcode) && !has_layout_) return fail("an instruction of the body before `Layout`");
    if (is_inner_ && (opcode == Opcode::Return || opcode == Opcode::Result))
      return fail("an inner function delivers its results");
    if (!is_inner_) SUNMAO_TRY(check_end(opcode));
    if (is_body_opcode(opcode)) return {};
    if (has_layout_) return fail("a second `Layout`");
    has_layout_ = true;
    return check_entry();
  }

  /// Checks what a function that callers see ends with: `Return`, a call of a function that delivers its results or,
  /// with state, `Deliver`.
  Status check_end(Opcode opcode) {
    const bool has_state = runtime::has_state(params_, results_), delivers = opcode == Opcode::Deliver;
    if (delivers && !has_state) return fail("the function is no inner one and has no state");
    const bool ends = delivers || ends_with_call(opcode);
    if (!ends && opcode != Opcode::Result && opcode != Opcode::Return) return {};
    if (!ends && has_state) return fail("a function with state delivers its results");
    if (ends && !results_.empty() && binds_weight(results_[0])) return fail("the function makes weights");
    if (ends ? has_result_ : delivers_) return fail("results are delivered on one path and written on another");
    (ends ? delivers_ : has_result_) = true;
    return {};
  }

  /// Checks that the entry part has a `Storage` for each slot and, for each axis of an input or state, a `CheckDim` or,
  /// where the size is a symbol, at least a `BindDim`.
  Status check_entry() {
    for (size_t slot = 0; slot < has_slot_.size(); ++slot)
      if (!has_slot_[slot]) return fail(concat("slot ", slot, " has no `Storage`"));
    for (size_t p = 0; p < params_.size(); ++p) {
      if (binds_weight(params_[p])) continue;
      for (uint32_t axis = 0; axis < params_[p].rank; ++axis)
        if (!axes_.is_done(p, axis, t_.shape(params_[p])[axis] < 0))
          return fail(concat("axis ", axis, " of parameter ", quoted(t_.text(params_[p].name)), " is not checked"));
    }
    return {};
  }

  Status end_instruction() {
    if (defined_) (*defined_)[defined_register_] = block_;
    defined_ = nullptr;
    for (const uint32_t reg : delivered_) tensor_blocks_[reg] = block_;
    delivered_.clear();
    falls_through_ = info_->opcode != Opcode::Jump && !ends_path(info_->opcode);
    ends_block_ = info_->opcode == Opcode::JumpIfFalse;
    if (info_->opcode == Opcode::Return) {
      is_done_ = true;
      for (size_t r = 0; r < result_blocks_.size(); ++r)
        if (result_blocks_[r] == kNone || !tree_.dominates(result_blocks_[r], block_))
          return fail(concat("result ", r, " is not produced on every path"));
    }
    at_ = end_;
    return {};
  }

  Status check_operands() {
    for (const char* operand = info_->operands; *operand; ++operand) SUNMAO_TRY(check_operand(*operand));
    if (next_ != end_) return fail(concat("it has ", end_ - next_, " words too many"));
    return {};
  }

  /// Takes the next word of the instruction.
  Status take(uint32_t& word) {
    if (next_ >= end_) return fail("it has too few words");
    word = words_[next_++];
    return {};
  }

  Status check_operand(char kind) {
    if (kind == '<' || kind == '>' || kind == '=') return check_values(kind);
    uint32_t word = 0;
    SUNMAO_TRY(take(word));
    switch (kind) {
      case 'D': return define(dim_blocks_, word, "dim register");
      case 'T':
        SUNMAO_TRY(define(tensor_blocks_, word, "tensor register"));
        makers_[word] = info_->opcode;
        is_fixed_[word] = info_->opcode == Opcode::Param || info_->opcode == Opcode::Constant;
        return {};
      case 'd': return use(dim_blocks_, word, "dim register");
      case 't':
        SUNMAO_TRY(use(tensor_blocks_, word, "tensor register"));
        if (info_->opcode == Opcode::View) makers_[defined_register_] = makers_[word];
        if (info_->opcode == Opcode::View || info_->opcode == Opcode::Part)
          is_fixed_[defined_register_] = is_fixed_[word];
        if (info_->opcode == Opcode::Copy && next_ == at_ + 2 && is_fixed_[word])
          return fail(concat("it writes tensor register ", word, ", a constant or parameter"));
        if (makers_[word] == Opcode::Part && (info_->opcode == Opcode::Own || info_->opcode == Opcode::Give))
          return fail(concat("tensor register ", word, " is a part of another"));
        return {};
      case 'x': return take(word);
      case '$': {
        uint32_t size = 0;
        SUNMAO_TRY(take(size));
        if (word > t_.strings.size() || size > t_.strings.size() - word) return fail("a text outside the string pool");
        return {};
      }
      case 'p':
        param_ = word;
        SUNMAO_TRY(check_index(word, params_.size(), "parameter"));
        if (info_->opcode == Opcode::Param && is_sizes(params_[word].type)) return fail("a parameter without a tensor");
        return {};
      case 'a': return check_axis(word);
      case 'r':
        SUNMAO_TRY(check_index(word, result_blocks_.size(), "result"));
        if (result_blocks_[word] != kNone) return fail(concat("a second `Result` for result ", word));
        result_blocks_[word] = block_;
        result_ = word;
        return {};
      case 'w': return check_index(word, t_.weights.size(), "weight");
      case 'k': kernel_ = word; return check_index(word, t_.kernels.size(), "kernel");
      case 's': return check_index(word, has_slot_.size(), "slot");
      case 'f':
      case 'g': return check_callee(word, kind == 'g');
      case 'S':
        SUNMAO_TRY(check_index(word, has_slot_.size(), "slot"));
        if (has_slot_[word]) return fail(concat("a second `Storage` for slot ", word));
        has_slot_[word] = true;
        return {};
      case 'y': return check_type(word);
      case '*':
        if (word > abi::kMaxRank) return fail(concat("a rank of ", word, "; ", abi::kMaxRank, " is the most"));
        if (info_->opcode == Opcode::Result && word != result().rank) return fail("its rank is not that of the result");
        return use_dims(word);
      case '@': return check_call(word);
      case '#': return use_each('t', word);
      default: return check_jump(word);
    }
  }

  const abi::ValueRecord& result() const { return t_.values[f_.first_result + result_]; }

  Status check_index(uint32_t index, size_t count, const char* what) const {
    return index < count ? Status() : fail(concat("there is no ", what, " ", index));
  }

  Status check_axis(uint32_t axis) {
    if (axis >= params_[param_].rank)
      return fail(concat("parameter ", quoted(t_.text(params_[param_].name)), " has no axis ", axis));
    axes_.note(param_, axis, info_->opcode == Opcode::CheckDim);
    return {};
  }

  Status check_type(uint32_t word) const {
    const abi::ElementType type = unpack_type(word);
    if (!is_supported(type)) return fail("unknown element type " + to_string(type));
    if (info_->opcode == Opcode::Result && !same_type(type, result().type))
      return fail(concat("element type ", to_string(type), ", the result has ", to_string(result().type)));
    return {};
  }

  Status check_call(uint32_t buffers) {
    uint32_t dims = 0;
    SUNMAO_TRY(take(dims));
    const abi::KernelRecord& kernel = t_.kernels[kernel_];
    if (buffers != kernel.buffer_count || dims != kernel.dim_count)
      return fail(concat(buffers, " buffers and ", dims, " dims, kernel ", quoted(t_.text(kernel.name)), " takes ",
                         kernel.buffer_count, " and ", kernel.dim_count));
    for (uint32_t i = 0; i < buffers; ++i) {
      SUNMAO_TRY(check_operand('t'));
      const uint32_t reg = words_[next_ - 1];
      if (t_.writes(kernel_, i) && is_fixed_[reg])
        return fail(concat("kernel ", quoted(t_.text(kernel.name)), " writes tensor register ", reg,
                           ", a constant or parameter"));
    }
    return use_dims(dims);
  }

  Status check_callee(uint32_t function, bool follows) {
    if (function < t_.first_inner || function >= t_.functions.size())
      return fail(concat("there is no inner function ", function));
    const abi::FunctionRecord& callee = t_.functions[function];
    const bool is_chain = info_->opcode == Opcode::Chain || info_->opcode == Opcode::ChainIf;
    if (callee.word_count == 0 && (follows || is_choice(info_->opcode)))
      return fail("a function of the host in place of another, or in a choice");
    if (is_chain && follows) source_ = callee_;
    if (callee_ && !source_ && !same_results(*callee_, callee)) return fail("its functions have different results");
    if (follows && !same_results(f_, callee)) return fail("the results are not those of the function that it ends");
    callee_ = &callee;
    return {};
  }

  bool same_results(const abi::FunctionRecord& a, const abi::FunctionRecord& b) const {
    if (a.result_count != b.result_count) return false;
    for (uint32_t i = 0; i < a.result_count; ++i) {
      const abi::ValueRecord& x = t_.results(a)[i];
      const abi::ValueRecord& y = t_.results(b)[i];
      if (!same_type(x.type, y.type) || x.rank != y.rank) return false;
    }
    return true;
  }

  /// Checks arguments and results of calls, and what an inner function delivers.
  Status check_values(char kind) {
    const auto values = kind == '<' ? t_.params(*callee_) : t_.results(kind == '>' ? *callee_ : f_);
    for (const abi::ValueRecord& value : values) {
      uint32_t reg = 0;
      SUNMAO_TRY(take(reg));
      if (kind == '>') SUNMAO_TRY(deliver(reg));
      bool is_known = true;  // the sizes are known before the call
      if (kind != '>') SUNMAO_TRY(check_value(reg, value, kind == '<', is_known));
      SUNMAO_TRY(is_known ? use_dims(value.rank) : check_unknown(value.rank));
    }
    return {};
  }

  Status check_value(uint32_t reg, const abi::ValueRecord& value, bool is_argument, bool& is_known) const {
    is_known = !is_argument || !(is_sizes(value.type) ? reg != kNone : is_delivered(reg));
    if (is_argument && is_delivered(reg)) return check_delivered(reg - abi::kDelivered, value);
    if (is_sizes(value.type)) return is_known ? Status() : use(tensor_blocks_, reg, "tensor register");
    SUNMAO_TRY(use(tensor_blocks_, reg, "tensor register"));
    // A function of the host ends before the function that calls it.
    if (is_argument && callee_->word_count == 0) return {};
    if (makers_[reg] == Opcode::Slot) return fail(concat("tensor register ", reg, " lies in a slot"));
    return makers_[reg] == Opcode::Part ? fail(concat("tensor register ", reg, " is a part of another")) : Status();
  }

  Status check_delivered(uint32_t index, const abi::ValueRecord& param) const {
    if (!source_) return fail("nothing was delivered");
    if (index >= source_->result_count) return fail(concat("result ", index, " was not delivered"));
    const abi::ValueRecord& result = t_.results(*source_)[index];
    const bool fits = is_sizes(param.type) ? same_type(result.type, kSizeType)
                                           : same_type(result.type, param.type) && result.rank == param.rank;
    return fits ? Status() : fail(concat("what was delivered as result ", index, " is of another type or rank"));
  }

  Status check_unknown(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t word = 0;
      SUNMAO_TRY(take(word));
      if (word != kNone) return fail("a size for what data decides");
    }
    return {};
  }

  /// Records the register of a delivered result, which is defined at the end of the instruction.
  Status deliver(uint32_t reg) {
    if (reg >= tensor_blocks_.size()) return fail(concat("there is no tensor register ", reg));
    if (tensor_blocks_[reg] != kNone || std::find(delivered_.begin(), delivered_.end(), reg) != delivered_.end())
      return fail(concat("tensor register ", reg, " is defined twice"));
    delivered_.push_back(reg);
    makers_[reg] = info_->opcode;
    return {};
  }

  Status use_dims(uint32_t count) { return use_each('d', count); }
  Status use_each(char kind, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) SUNMAO_TRY(check_operand(kind));
    return {};
  }

  Status check_jump(uint32_t target) {
    if (target <= at_ || target >= words_.size())
      return fail(concat("a jump to word ", target, ", expected ", at_ + 1, " to ", words_.size() - 1));
    entries_[target] = entries_[target] == kNone ? block_ : tree_.common(entries_[target], block_);
    return {};
  }

  /// Records a definition that takes effect at the end of the instruction, which cannot use its own result.
  Status define(std::vector<uint32_t>& blocks, uint32_t reg, const char* what) {
    if (reg >= blocks.size()) return fail(concat("there is no ", what, " ", reg));
    if (blocks[reg] != kNone) return fail(concat(what, " ", reg, " is defined twice"));
    defined_ = &blocks;
    defined_register_ = reg;
    return {};
  }

  Status use(const std::vector<uint32_t>& blocks, uint32_t reg, const char* what) const {
    if (reg >= blocks.size()) return fail(concat("there is no ", what, " ", reg));
    if (blocks[reg] == kNone || !tree_.dominates(blocks[reg], block_))
      return fail(concat(what, " ", reg, " is not defined on every path to here"));
    return {};
  }

  const ProgramTables& t_;
  const abi::FunctionRecord& f_;
  const bool is_inner_;
  const std::span<const uint32_t> words_;
  const std::span<const abi::ValueRecord> params_, results_;
  DominatorTree tree_;
  std::vector<uint32_t> entries_;  // per word: the common dominator of all jumps to it; kNone without jumps
  std::vector<uint32_t> dim_blocks_, tensor_blocks_;  // per register: the block that defines it
  std::vector<Opcode> makers_;                        // per tensor register: what made it; of a view, its source
  std::vector<bool> is_fixed_;                        // per tensor register: lies in a constant or a parameter
  std::vector<bool> has_slot_;
  std::vector<uint32_t> result_blocks_;
  EntryAxes axes_;

  const OpcodeInfo* info_ = nullptr;
  size_t at_ = 0, next_ = 0, end_ = 0;
  uint32_t block_ = DominatorTree::kRoot;
  std::vector<uint32_t>* defined_ = nullptr;
  uint32_t defined_register_ = 0;
  std::vector<uint32_t> delivered_;  // registers that the instruction defines besides
  const abi::FunctionRecord* callee_ = nullptr;
  const abi::FunctionRecord* source_ = nullptr;  // what the callee gets from
  uint32_t param_ = 0, result_ = 0, kernel_ = 0;
  bool falls_through_ = true, ends_block_ = false, has_layout_ = false, is_done_ = false;
  bool has_result_ = false, delivers_ = false;
};

}  // namespace

Status verify_code(const ProgramTables& tables, size_t function) {
  return CodeVerifier(tables, tables.functions[function], function >= tables.first_inner).run();
}

}  // namespace sunmao::runtime
