#include "runtime/disassemble.h"

#include "io/concat.h"
#include "runtime/element_type.h"
#include "runtime/instruction.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::quoted;

class Disassembler {
 public:
  explicit Disassembler(const Program& program) : program_(program), t_(program.tables()) {}

  std::string run() {
    out_ = concat("program: ", t_.functions.size(), " functions, ", t_.kernels.size(), " kernels, ", t_.weights.size(),
                  " weights, ", t_.words.size() * sizeof(uint32_t), " bytes of instructions\n");
    for (size_t i = 0; i < t_.weights.size(); ++i)
      out_ += concat("weight w", i, " ", quoted(t_.text(t_.weights[i].name)), ": ", to_string(t_.weights[i].type), " ",
                     to_string(t_.shape(t_.weights[i])), "\n");
    for (size_t i = 0; i < t_.states.size(); ++i) {
      const abi::StateRecord& state = t_.states[i];
      out_ +=
          concat("state ", quoted(t_.text(state.name)), ": ", to_string(state.type), " ", to_string(t_.shape(state)));
      out_ += state.weight == abi::kNone ? " of zeros\n" : concat(" = w", state.weight, "\n");
    }
    for (size_t i = 0; i < t_.kernels.size(); ++i) write_kernel(static_cast<uint32_t>(i));
    for (size_t i = 0; i < t_.functions.size(); ++i) {
      own_ = &t_.functions[i];
      write_function(program_.function(i));
    }
    return std::move(out_);
  }

 private:
  void write_kernel(uint32_t number) {
    const abi::KernelRecord& kernel = t_.kernels[number];
    out_ += concat("kernel k", number, " ", quoted(t_.text(kernel.name)), ": ", kernel.buffer_count, " buffers, ",
                   kernel.dim_count, " dims");
    std::string written;
    for (uint32_t i = 0; i < kernel.buffer_count; ++i)
      if (t_.writes(number, i)) written += concat(' ', i);
    out_ += written.empty() ? std::string("\n") : concat(", writes", written, "\n");
  }

  void write_function(const FunctionView& f) {
    out_ += concat("\n",
                   f.is_host()  ? "host function "
                   : f.is_inner ? "inner function "
                                : "function ",
                   quoted(f.name), ": ", f.dim_registers, " dims, ", f.tensor_registers, " tensors, ", f.storage_slots,
                   " slots\n");
    for (size_t i = 0; i < f.params.size(); ++i) {
      out_ += concat("  param p", i, " ", quoted(t_.text(f.params[i].name)), ": ", describe(t_, f.params[i]));
      out_ += binding(f.params[i], " = ");
    }
    for (size_t i = 0; i < f.results.size(); ++i) {
      out_ += concat("  result r", i, " ", quoted(t_.text(f.results[i].name)), ": ", describe(t_, f.results[i]));
      out_ += binding(f.results[i], " becomes ");
    }
    for (size_t at = 0; at < f.words.size(); at += length_of(f.words[at])) {
      const std::string number = concat(at);
      out_ += std::string(number.size() < 6 ? 6 - number.size() : 0, ' ') + number + "  ";
      write_instruction(f.words.data() + at);
      out_ += '\n';
    }
  }

  std::string binding(const abi::ValueRecord& value, const char* how) const {
    if (binds_state(value)) return concat(how, "state ", quoted(t_.text(t_.states[state_of(value)].name)), "\n");
    return binds_weight(value) ? concat(how, "w", value.weight, "\n") : std::string("\n");
  }

  void write_instruction(const uint32_t* words) {
    const OpcodeInfo& info = *find_opcode(words[0] & 0xffff);
    out_ += info.name;
    next_ = words + 1;
    is_first_ = true;
    for (const char* operand = info.operands; *operand; ++operand) write_operand(*operand);
  }

  void write(const std::string& text) {
    out_ += (is_first_ ? " " : ", ") + text;
    is_first_ = false;
  }

  /// Writes arguments or results of a call, or what the function delivers: a register and its sizes each.
  void write_values(std::span<const abi::ValueRecord> values) {
    std::string text;
    for (const abi::ValueRecord& value : values) {
      const uint32_t reg = *next_++;
      text += concat(text.empty() ? "" : ", ", is_sizes(value.type) ? name_of_sizes(reg) : name_of(reg), " (");
      text += registers('d', value.rank) + ")";
    }
    write('[' + text + ']');
  }

  static std::string name_of(uint32_t reg) {
    return is_delivered(reg) ? concat("delivered ", reg - abi::kDelivered) : concat('t', reg);
  }

  static std::string name_of_sizes(uint32_t reg) {
    return reg == abi::kNone ? std::string("sizes") : concat("sizes in t", reg);
  }

  void write_operand(char kind) {
    if (kind == '<') return write_values(t_.params(*callee_));
    if (kind == '>') return write_values(t_.results(*callee_));
    if (kind == '=') return write_values(t_.results(*own_));
    const uint32_t word = *next_++;
    switch (kind) {
      case 'D':
      case 'd': return write(concat('d', word));
      case 'T':
      case 't': return write(concat('t', word));
      case 'x':
        write(concat(immediate_at(next_ - 1)));
        ++next_;
        return;
      case '$': return write(quoted(t_.text(word, *next_++)));
      case 'a': return write(concat("axis ", word));
      case 'k': return write(concat('k', word, ' ', quoted(t_.text(t_.kernels[word].name))));
      case 'w': return write(concat('w', word, ' ', quoted(t_.text(t_.weights[word].name))));
      case 'S': return write(concat('s', word));
      case 'f':
      case 'g': callee_ = &t_.functions[word]; return write(quoted(t_.text(callee_->name)));
      case 'y': return write(to_string(unpack_type(word)));
      case '*': return write('(' + registers('d', word) + ')');
      case '#': return write('[' + registers('t', word) + ']');
      case '@': {
        const uint32_t dims = *next_++;
        write('[' + registers('t', word) + ']');
        return write('[' + registers('d', dims) + ']');
      }
      case 'j': return write(concat("to ", word));
      default: return write(concat(kind, word));  // p, r, s
    }
  }

  std::string registers(char prefix, uint32_t count) {
    std::string text;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t reg = *next_++;
      text += (i ? ", " : "") + (reg == abi::kNone ? std::string("?") : concat(prefix, reg));
    }
    return text;
  }

  const Program& program_;
  const ProgramTables& t_;
  std::string out_;
  const uint32_t* next_ = nullptr;
  const abi::FunctionRecord* own_ = nullptr;     // the function that is written
  const abi::FunctionRecord* callee_ = nullptr;  // of the present instruction
  bool is_first_ = true;
};

}  // namespace

std::string disassemble(const Program& program) { return Disassembler(program).run(); }

std::string describe(const ProgramTables& tables, const abi::ValueRecord& value) {
  std::string text = (is_sizes(value.type) ? std::string("sizes") : to_string(value.type)) + " (";
  bool is_first = true;
  for (const int64_t dim : tables.shape(value)) {
    text += is_first ? "" : ", ";
    text += dim >= 0 ? concat(dim) : std::string(tables.symbol(dim));
    is_first = false;
  }
  return text + ")";
}

}  // namespace sunmao::runtime
