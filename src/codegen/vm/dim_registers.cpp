#include "codegen/vm/dim_registers.h"

#include "support/diagnostic.h"
#include "sym/equal.h"

namespace sunmao {
namespace {

std::optional<abi::Opcode> opcode_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return abi::Opcode::AddDim;
    case BinaryOp::Sub: return abi::Opcode::SubDim;
    case BinaryOp::Mul: return abi::Opcode::MulDim;
    case BinaryOp::FloorDiv: return abi::Opcode::FloorDivDim;
    case BinaryOp::FloorMod: return abi::Opcode::FloorModDim;
    case BinaryOp::Min:
    case BinaryOp::And: return abi::Opcode::MinDim;
    case BinaryOp::Max:
    case BinaryOp::Or: return abi::Opcode::MaxDim;
    case BinaryOp::Eq: return abi::Opcode::EqualDim;
    case BinaryOp::Lt: return abi::Opcode::LessDim;
    default: return std::nullopt;
  }
}

// Returns the comparison that holds where `b` does not, if an instruction computes it; null for others.
Scalar negated(const Binary& b) {
  switch (b.op) {
    case BinaryOp::Ne: return Binary::make(BinaryOp::Eq, b.a, b.b);
    case BinaryOp::Le: return Binary::make(BinaryOp::Lt, b.b, b.a);
    case BinaryOp::Ge: return Binary::make(BinaryOp::Lt, b.a, b.b);
    default: return nullptr;
  }
}

}  // namespace

uint32_t DimRegisters::get(const Scalar& s) {
  Scalar canonical = analyzer_.simplify(s);
  auto& bucket = known_[structural_hash(canonical)];
  for (const auto& [known, reg] : bucket)
    if (structural_equal(known, canonical)) return reg;
  uint32_t reg = compute(canonical);
  known_[structural_hash(canonical)].emplace_back(canonical, reg);
  return reg;
}

std::vector<uint32_t> DimRegisters::get(const std::vector<Scalar>& dims) {
  std::vector<uint32_t> out;
  for (const Scalar& d : dims) out.push_back(get(d));
  return out;
}

uint32_t DimRegisters::compute(const Scalar& s) {
  if (const int64_t* value = find_int(s)) return builder_.constant_dim(*value);
  if (Ref<SymVar> symbol = find_ref<SymVar>(s)) {
    auto it = symbols_.find(symbol);
    if (it == symbols_.end())
      fail("E1021", s->span, fmt::format("nothing at run time says what `{}` is", symbol->name),
           "an input must have it as a dimension of its own");
    return it->second;
  }
  if (const auto* cast = find<Cast>(s); cast && cast->dtype.is_integral()) return get(cast->value);
  if (const auto* select = find<Select>(s))
    return builder_.compute_dim(abi::Opcode::SelectDim,
                                {get(select->condition), get(select->then_value), get(select->else_value)});
  if (const auto* choice = find<ScalarCall>(s); choice && choice->name == "if_then_else")
    return builder_.compute_dim(abi::Opcode::SelectDim,
                                {get(choice->args[0]), get(choice->args[1]), get(choice->args[2])});
  const auto* binary = find<Binary>(s);
  if (binary && binary->op == BinaryOp::Gt) return get(Binary::make(BinaryOp::Lt, binary->b, binary->a));
  const auto* inverse = find<Not>(s);
  if (const Scalar other = inverse ? inverse->a : binary ? negated(*binary) : Scalar())
    return builder_.compute_dim(abi::Opcode::SubDim, {builder_.constant_dim(1), get(other)});
  if (binary && binary->dtype.is_integral() && (binary->op == BinaryOp::Div || binary->op == BinaryOp::TruncMod))
    return truncated(*binary);
  std::optional<abi::Opcode> opcode = binary ? opcode_of(binary->op) : std::nullopt;
  if (!opcode) fail("E1020", s->span, fmt::format("the virtual machine cannot compute the size `{}`", describe(s)));
  uint32_t a = get(binary->a), b = get(binary->b);
  return builder_.compute_dim(*opcode, {a, b});
}

// Division towards zero is the floor, and one more where that is negative and a remainder is left.
uint32_t DimRegisters::truncated(const Binary& division) {
  const uint32_t a = get(division.a), b = get(division.b), zero = builder_.constant_dim(0);
  const uint32_t floor = builder_.compute_dim(abi::Opcode::FloorDivDim, {a, b});
  const uint32_t rest = builder_.compute_dim(abi::Opcode::FloorModDim, {a, b});
  const uint32_t is_whole = builder_.compute_dim(abi::Opcode::EqualDim, {rest, zero});
  const uint32_t is_left = builder_.compute_dim(abi::Opcode::SubDim, {builder_.constant_dim(1), is_whole});
  const uint32_t is_below = builder_.compute_dim(abi::Opcode::LessDim, {floor, zero});
  const uint32_t one_more = builder_.compute_dim(abi::Opcode::MinDim, {is_below, is_left});
  const uint32_t quotient = builder_.compute_dim(abi::Opcode::AddDim, {floor, one_more});
  if (division.op == BinaryOp::Div) return quotient;
  const uint32_t whole = builder_.compute_dim(abi::Opcode::MulDim, {quotient, b});
  return builder_.compute_dim(abi::Opcode::SubDim, {a, whole});
}

}  // namespace sunmao
