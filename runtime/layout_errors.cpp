#include "runtime/layout_errors.h"

#include "io/concat.h"
#include "runtime/disassemble.h"
#include "runtime/instruction.h"

namespace sunmao::runtime {

using abi::Opcode;
using io::concat;
using io::quoted;
using io::Status;

/// Returns "axis 0 of `x`" for a register that is bound to a parameter's axis; empty for a computed one.
std::string LayoutErrors::origin(uint32_t reg) const {
  for (size_t at = 0; opcode_of(f_.words[at]) != Opcode::Layout; at += length_of(f_.words[at])) {
    const uint32_t* w = f_.words.data() + at;
    if (opcode_of(w[0]) == Opcode::BindDim && w[1] == reg)
      return concat("axis ", w[3], " of ", quoted(t_.text(f_.params[w[2]].name)));
  }
  return {};
}

Status LayoutErrors::mismatch(uint32_t param, uint32_t axis, uint32_t reg, int64_t expected, int64_t got) const {
  const abi::ValueRecord& value = f_.params[param];
  const int64_t dim = t_.shape(value)[axis];
  std::string should = dim < 0 ? concat(quoted(t_.symbol(dim)), " = ", expected) : concat(expected);
  const std::string from = origin(reg);
  if (!from.empty()) should += concat(" (", from, ")");
  return Status::error("E0905",
                       concat("function ", quoted(f_.name), binds_state(value) ? ": state " : ": input ",
                              quoted(t_.text(value.name)), " has ", got, " on axis ", axis, ", expected ", should),
                       concat(quoted(t_.text(value.name)), " is ", describe(t_, value)));
}

Status LayoutErrors::out_of_range(uint32_t reg, std::string_view symbol, int64_t low, int64_t high, int64_t got) const {
  const std::string from = origin(reg);
  const std::string where = from.empty() ? std::string() : concat(" (", from, ")");
  return Status::error("E0906",
                       concat("function ", quoted(f_.name), ": dimension ", quoted(symbol), where, " is ", got,
                              ", expected ", low, " to ", high),
                       "stay inside the range, or compile the model with a wider one (`--dim`)");
}

Status LayoutErrors::condition(uint32_t reg, std::string_view text, std::span<const int64_t> dims) const {
  for (size_t at = 0; opcode_of(f_.words[at]) != Opcode::Layout; at += length_of(f_.words[at])) {
    const uint32_t* w = f_.words.data() + at;
    if (opcode_of(w[0]) != Opcode::EqualDim || w[1] != reg) continue;
    const std::string from = origin(w[2]);
    return Status::error("E0905",
                         concat("function ", quoted(f_.name), ": ", text, ", got ", dims[w[2]],
                                from.empty() ? "" : " (", from, from.empty() ? "" : ")", " and ", dims[w[3]]),
                         "make the sizes of the inputs agree");
  }
  return Status::error("E0912", concat("function ", quoted(f_.name), ": ", quoted(text), " does not hold"),
                       "these input shapes break a condition that the model states");
}

Status LayoutErrors::size(const std::string& problem) const {
  return Status::error("E0911", concat("function ", quoted(f_.name), ": sizes do not work out: ", problem),
                       "use smaller dimensions; with ordinary ones this is a fault of the compiler");
}

}  // namespace sunmao::runtime
