#include "runtime/instruction.h"

namespace sunmao::runtime {
namespace {

using abi::Opcode;

constexpr OpcodeInfo kOpcodes[] = {
    {Opcode::BindDim, "BindDim", "Dpa"},
    {Opcode::CheckDim, "CheckDim", "pad"},
    {Opcode::GuardRange, "GuardRange", "dxx$"},
    {Opcode::ConstDim, "ConstDim", "Dx"},
    {Opcode::AddDim, "AddDim", "Ddd"},
    {Opcode::SubDim, "SubDim", "Ddd"},
    {Opcode::MulDim, "MulDim", "Ddd"},
    {Opcode::FloorDivDim, "FloorDivDim", "Ddd"},
    {Opcode::FloorModDim, "FloorModDim", "Ddd"},
    {Opcode::MinDim, "MinDim", "Ddd"},
    {Opcode::MaxDim, "MaxDim", "Ddd"},
    {Opcode::EqualDim, "EqualDim", "Ddd"},
    {Opcode::LessDim, "LessDim", "Ddd"},
    {Opcode::SelectDim, "SelectDim", "Dddd"},
    {Opcode::CheckTrue, "CheckTrue", "d$"},
    {Opcode::Storage, "Storage", "Sd"},
    {Opcode::Layout, "Layout", ""},
    {Opcode::Slot, "Slot", "Tsy*"},
    {Opcode::Param, "Param", "Tp"},
    {Opcode::Constant, "Constant", "Tw"},
    {Opcode::Result, "Result", "Try*"},
    {Opcode::View, "View", "Tty*"},
    {Opcode::Part, "Part", "Ttdy*"},
    {Opcode::Block, "Block", "Ty*"},
    {Opcode::Values, "Values", "T*"},
    {Opcode::CheckValues, "CheckValues", "t*"},
    {Opcode::Own, "Own", "Tt#"},
    {Opcode::Give, "Give", "t#"},
    {Opcode::Call, "Call", "k@"},
    {Opcode::Copy, "Copy", "tt"},
    {Opcode::Jump, "Jump", "j"},
    {Opcode::JumpIfFalse, "JumpIfFalse", "tj"},
    {Opcode::Invoke, "Invoke", "f<>"},
    {Opcode::InvokeIf, "InvokeIf", "tf<f<>"},
    {Opcode::Follow, "Follow", "g<"},
    {Opcode::FollowIf, "FollowIf", "tg<g<"},
    {Opcode::Chain, "Chain", "f<g<"},
    {Opcode::ChainIf, "ChainIf", "tf<f<g<"},
    {Opcode::Deliver, "Deliver", "="},
    {Opcode::Return, "Return", ""},
};

}  // namespace

const OpcodeInfo* find_opcode(uint32_t number) {
  for (const OpcodeInfo& info : kOpcodes)
    if (static_cast<uint32_t>(info.opcode) == number) return &info;
  return nullptr;
}

}  // namespace sunmao::runtime
