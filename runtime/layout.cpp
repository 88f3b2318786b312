#include "runtime/layout.h"

#include <algorithm>

#include "io/concat.h"
#include "runtime/arena.h"
#include "runtime/element_type.h"
#include "runtime/instruction.h"
#include "runtime/layout_errors.h"
#include "runtime/slot_places.h"

namespace sunmao::runtime {
namespace {

using abi::Opcode;
using io::concat;
using io::Status;

constexpr uint64_t kMaxArena = uint64_t{1} << 47;  // bytes: the address space of a process

/// Evaluates an arithmetic or comparison instruction; false on overflow or division by zero.
bool compute(Opcode opcode, int64_t a, int64_t b, int64_t& out) {
  switch (opcode) {
    case Opcode::AddDim: return !__builtin_add_overflow(a, b, &out);
    case Opcode::SubDim: return !__builtin_sub_overflow(a, b, &out);
    case Opcode::MulDim: return !__builtin_mul_overflow(a, b, &out);
    case Opcode::FloorDivDim:
    case Opcode::FloorModDim: {
      if (b == 0 || (a == INT64_MIN && b == -1)) return false;
      const int64_t quotient = a / b;
      const int64_t remainder = a % b;
      const bool is_below = remainder != 0 && (remainder < 0) != (b < 0);
      out = opcode == Opcode::FloorDivDim ? quotient - (is_below ? 1 : 0) : remainder + (is_below ? b : 0);
      return true;
    }
    case Opcode::MinDim: out = std::min(a, b); return true;
    case Opcode::MaxDim: out = std::max(a, b); return true;
    case Opcode::EqualDim: out = a == b; return true;
    default:  // LessDim
      out = a < b;
      return true;
  }
}

class LayoutMaker {
 public:
  LayoutMaker(const ProgramTables& tables, const FunctionView& function, std::span<const int64_t> shapes)
      : t_(tables), f_(function), errors_{tables, function} {
    layout_.shapes.assign(shapes.begin(), shapes.end());
    layout_.dims.resize(f_.dim_registers);
    layout_.tensor_bytes.resize(f_.tensor_registers);
    layout_.unused_bits.resize(f_.tensor_registers);
    layout_.results.resize(f_.results.size());
    slot_bytes_.resize(f_.storage_slots);
    size_t next = 0;
    for (const abi::ValueRecord& param : f_.params) {
      const bool is_given = !binds_weight(param);
      param_shapes_.push_back(is_given ? shapes.subspan(next, param.rank) : t_.shape(t_.weights[param.weight]));
      if (is_given) next += param.rank;
    }
  }

  io::Result<Layout> run() {
    size_t at = 0;
    for (; opcode_of(f_.words[at]) != Opcode::Layout; at += length_of(f_.words[at])) SUNMAO_TRY(run_entry(at));
    SUNMAO_TRY(give_places());
    layout_.body = at + 1;
    for (at = layout_.body; at < f_.words.size(); at += length_of(f_.words[at])) SUNMAO_TRY(measure(at));
    return std::move(layout_);
  }

 private:
  Status run_entry(size_t at) {
    const uint32_t* w = f_.words.data() + at;
    std::vector<int64_t>& dims = layout_.dims;
    switch (const Opcode opcode = opcode_of(w[0])) {
      case Opcode::BindDim: dims[w[1]] = param_shapes_[w[2]][w[3]]; return {};
      case Opcode::CheckDim: {
        const int64_t got = param_shapes_[w[1]][w[2]];
        return got == dims[w[3]] ? Status() : errors_.mismatch(w[1], w[2], w[3], dims[w[3]], got);
      }
      case Opcode::GuardRange: {
        const int64_t low = immediate_at(w + 2);
        const int64_t high = immediate_at(w + 4);
        const int64_t got = dims[w[1]];
        return low <= got && got <= high ? Status() : errors_.out_of_range(w[1], t_.text(w[6], w[7]), low, high, got);
      }
      case Opcode::ConstDim: dims[w[1]] = immediate_at(w + 2); return {};
      case Opcode::SelectDim: dims[w[1]] = dims[w[2]] != 0 ? dims[w[3]] : dims[w[4]]; return {};
      case Opcode::CheckTrue: return dims[w[1]] != 0 ? Status() : errors_.condition(w[1], t_.text(w[2], w[3]), dims);
      case Opcode::Storage:
        if (dims[w[2]] < 0) return errors_.size(concat("slot ", w[1], " has ", dims[w[2]], " bytes"));
        slot_bytes_[w[1]] = static_cast<uint64_t>(dims[w[2]]);
        return {};
      default: {
        const int64_t a = dims[w[2]];
        const int64_t b = dims[w[3]];
        if (compute(opcode, a, b, dims[w[1]])) return {};
        return errors_.size(concat(find_opcode(w[0] & 0xffff)->name, " of ", a, " and ", b, " has no 64-bit value"));
      }
    }
  }

  Status give_places() {
    for (size_t slot = 0; slot < slot_bytes_.size(); ++slot)
      if (slot_bytes_[slot] > kMaxArena)
        return errors_.size(concat("slot ", slot, " has ", slot_bytes_[slot], " bytes"));
    std::optional<io::SlotPlaces> places = io::place_slots(slot_bytes_, slot_lives(t_, f_), kMaxArena);
    if (!places) return errors_.size("all slots together exceed 2^47 bytes");
    layout_.slot_offsets = std::move(places->offsets);
    layout_.arena_bytes = places->bytes;
    layout_.live_bytes = places->live_bytes;
    return {};
  }

  /// Computes shape and byte size of the tensor whose element type, rank and dim registers stand at `w`.
  Status tensor_size(const uint32_t* w, uint64_t& bytes, std::vector<int64_t>& shape) const {
    for (uint32_t i = 0; i < w[1]; ++i) shape.push_back(layout_.dims[w[2 + i]]);
    const std::optional<uint64_t> size = byte_size(unpack_type(w[0]), shape);
    if (!size || *size > kMaxArena)
      return errors_.size(concat("a tensor of type ", to_string(unpack_type(w[0])), " and shape ", to_string(shape)));
    bytes = *size;
    return {};
  }

  /// For an instruction after `Layout`: records the size of the tensor that it defines, and checks the sizes that it
  /// depends on.
  Status measure(size_t at) {
    const uint32_t* w = f_.words.data() + at;
    std::vector<uint64_t>& bytes = layout_.tensor_bytes;
    switch (opcode_of(w[0])) {
      case Opcode::Slot: {
        std::vector<int64_t> shape;
        SUNMAO_TRY(tensor_size(w + 3, bytes[w[1]], shape));
        layout_.unused_bits[w[1]] = unused_bits(unpack_type(w[3]), shape);
        if (bytes[w[1]] <= slot_bytes_[w[2]]) return {};
        return errors_.size(concat("a tensor of ", bytes[w[1]], " bytes in a slot of ", slot_bytes_[w[2]]));
      }
      case Opcode::Result: {
        ResultLayout& result = layout_.results[w[2]];
        SUNMAO_TRY(tensor_size(w + 3, bytes[w[1]], result.shape));
        result.bytes = bytes[w[1]];
        layout_.unused_bits[w[1]] = unused_bits(unpack_type(w[3]), result.shape);
        return {};
      }
      case Opcode::Block: {
        std::vector<int64_t> shape;
        SUNMAO_TRY(tensor_size(w + 2, bytes[w[1]], shape));
        layout_.unused_bits[w[1]] = unused_bits(unpack_type(w[2]), shape);
        return {};
      }
      case Opcode::CheckValues:
        if (bytes[w[1]] == w[2] * sizeof(int64_t)) return {};
        return errors_.size(concat(w[2], " sizes in a tensor of ", bytes[w[1]], " bytes"));
      case Opcode::Own: bytes[w[1]] = bytes[w[2]]; return {};
      case Opcode::Values: bytes[w[1]] = w[2] * sizeof(int64_t); return {};
      case Opcode::Invoke: return measure_call(w + 1, false);
      case Opcode::InvokeIf: SUNMAO_TRY(condition_size(w[1])); return measure_call(w + 2, true);
      case Opcode::Follow:
      case Opcode::FollowIf:
      case Opcode::Chain:
      case Opcode::ChainIf: return all_arguments(w);
      case Opcode::Deliver: return values(w + 1, f_.results, "a result").status;
      case Opcode::View: {
        std::vector<int64_t> shape;
        SUNMAO_TRY(tensor_size(w + 3, bytes[w[1]], shape));
        return same_size(w[1], w[2], "a view");
      }
      case Opcode::Part: {
        std::vector<int64_t> shape;
        SUNMAO_TRY(tensor_size(w + 4, bytes[w[1]], shape));
        return part_place(w);
      }
      case Opcode::Param: return param_size(w[2], bytes[w[1]]);
      case Opcode::Constant: bytes[w[1]] = *byte_size(t_.weights[w[2]].type, t_.shape(t_.weights[w[2]])); return {};
      case Opcode::Copy:
        if (layout_.tensor_bytes[w[1]] <= layout_.tensor_bytes[w[2]]) return {};
        return same_size(w[1], w[2], "a copy");
      case Opcode::JumpIfFalse: return condition_size(w[1]);
      default: return {};
    }
  }

  /// Checks the place of the part whose `Part` is at `w`.
  Status part_place(const uint32_t* w) const {
    const uint64_t part = layout_.tensor_bytes[w[1]], whole = layout_.tensor_bytes[w[2]];
    const int64_t begin = layout_.dims[w[3]];
    const uint64_t alignment = natural_alignment(unpack_type(w[4]));
    if (begin >= 0 && static_cast<uint64_t>(begin) % alignment == 0 && part <= whole &&
        static_cast<uint64_t>(begin) <= whole - part)
      return {};
    return errors_.size(
        concat("a part of ", part, " bytes, aligned to ", alignment, ", at byte ", begin, " of a tensor of ", whole));
  }

  Status condition_size(uint32_t tensor) const {
    const uint64_t bytes = layout_.tensor_bytes[tensor];
    return bytes == 1 ? Status() : errors_.size(concat("a condition of ", bytes, " bytes"));
  }

  struct Values {
    Status status;
    const uint32_t* end;
  };
  /// Checks that the tensors at `w`, each followed by its sizes, have the sizes of `records`.
  Values values(const uint32_t* w, std::span<const abi::ValueRecord> records, const char* what) const {
    for (const abi::ValueRecord& value : records) {
      uint64_t bytes = 0;
      const bool has_size = !is_sizes(value.type) && !is_delivered(*w);
      Status status = has_size ? value_size(w + 1, value, bytes) : Status();
      if (status.ok() && has_size && layout_.tensor_bytes[*w] != bytes)
        status = errors_.size(concat(what, " of ", layout_.tensor_bytes[*w], " bytes as ", bytes));
      if (is_sizes(value.type) && *w < abi::kDelivered && layout_.tensor_bytes[*w] != value.rank * sizeof(int64_t))
        status = errors_.size(concat(value.rank, " sizes in a tensor of ", layout_.tensor_bytes[*w], " bytes"));
      if (!status.ok()) return {std::move(status), w};
      w += 1 + value.rank;
    }
    return {{}, w};
  }
  /// The same for a function's number and its arguments.
  Values arguments(const uint32_t* w) const { return values(w + 1, t_.params(t_.functions[*w]), "an argument"); }

  /// The same for all functions of an instruction that ends with a call.
  Status all_arguments(const uint32_t* w) const {
    if (is_choice(opcode_of(*w))) SUNMAO_TRY(condition_size(w[1]));
    Values args = {{}, w + (is_choice(opcode_of(*w)) ? 2 : 1)};
    while (args.status.ok() && args.end < w + length_of(*w)) args = arguments(args.end);
    return std::move(args.status);
  }

  /// Checks the arguments of one function or two at `w`, and records the sizes of the results.
  Status measure_call(const uint32_t* w, bool is_choice) {
    const std::span<const abi::ValueRecord> results = t_.results(t_.functions[*w]);
    Values args = arguments(w);
    if (args.status.ok() && is_choice) args = arguments(args.end);
    SUNMAO_TRY(std::move(args.status));
    const uint32_t* next = args.end;
    for (const abi::ValueRecord& result : results) {
      SUNMAO_TRY(value_size(next + 1, result, layout_.tensor_bytes[*next]));
      next += 1 + result.rank;
    }
    return {};
  }

  /// Computes the size of a value whose dims are in the registers at `w`.
  Status value_size(const uint32_t* w, const abi::ValueRecord& value, uint64_t& bytes) const {
    std::vector<int64_t> shape;
    for (uint32_t i = 0; i < value.rank; ++i) shape.push_back(layout_.dims[w[i]]);
    const std::optional<uint64_t> size = byte_size(value.type, shape);
    if (!size || *size > kMaxArena)
      return errors_.size(concat("a tensor of type ", to_string(value.type), " and shape ", to_string(shape)));
    bytes = *size;
    return {};
  }

  Status param_size(uint32_t param, uint64_t& bytes) const {
    const std::optional<uint64_t> size = byte_size(f_.params[param].type, param_shapes_[param]);
    if (!size)
      return errors_.size(concat("an input of type ", to_string(f_.params[param].type), " and shape ",
                                 to_string(param_shapes_[param])));
    bytes = *size;
    return {};
  }

  Status same_size(uint32_t a, uint32_t b, const char* what) const {
    const std::vector<uint64_t>& bytes = layout_.tensor_bytes;
    if (bytes[a] == bytes[b]) return {};
    return errors_.size(concat(what, " of ", bytes[b], " bytes as ", bytes[a]));
  }

  const ProgramTables& t_;
  const FunctionView& f_;
  const LayoutErrors errors_;
  Layout layout_;
  std::vector<uint64_t> slot_bytes_;
  std::vector<std::span<const int64_t>> param_shapes_;
};

}  // namespace

io::Result<Layout> make_layout(const ProgramTables& tables, const FunctionView& function,
                               std::span<const int64_t> shapes) {
  return LayoutMaker(tables, function, shapes).run();
}

}  // namespace sunmao::runtime
