#include "target/isa.h"

#include <algorithm>
#include <array>
#include <list>
#include <utility>

#include "cpu/features.h"

namespace sunmao {
namespace {

constexpr std::array<std::string_view, 3> kV1{"cmov", "cx8", "sse2"};
constexpr std::array<std::string_view, 7> kV2{"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"};
constexpr std::array<std::string_view, 8> kV3{"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"};
constexpr std::array<std::string_view, 5> kV4{"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"};
constexpr std::array<std::string_view, 5> kExtra{"avx512bf16", "avx512fp16", "avx512vbmi", "avx512vnni", "avxvnni"};

/// Each row has the features of the rows before it too.
struct Row {
  std::string_view name;
  std::span<const std::string_view> features;
  int vector_bits, vector_registers;
};
constexpr std::array<Row, 4> kRows{
    {{"x86-64", kV1, 128, 16}, {"x86-64-v2", kV2, 128, 16}, {"x86-64-v3", kV3, 256, 16}, {"x86-64-v4", kV4, 512, 32}}};
constexpr std::string_view kTriple = "x86_64-unknown-linux-gnu";

/// Which features an instruction on vectors of a width takes.
struct FormRow {
  Isa::Form form;
  std::array<std::string_view, 2> features;  // "" for none
};
// Source: Intel's manual, volume 2, the column "CPUID feature flag" of FMA, VPDPBUSD, VDPBF16PS, VCVTNEPS2BF16,
// PMADDWD, VSCALEFPS, PSHUFB and VCVTPH2PS.
constexpr auto kForms = std::to_array<FormRow>({
    {{Instruction::FusedMultiplyAdd, 128}, {"fma"}},
    {{Instruction::FusedMultiplyAdd, 256}, {"fma"}},
    {{Instruction::FusedMultiplyAdd, 512}, {"avx512f"}},
    {{Instruction::DotBytes, 128}, {"avx512vnni", "avx512vl"}},
    {{Instruction::DotBytes, 128}, {"avxvnni"}},
    {{Instruction::DotBytes, 256}, {"avx512vnni", "avx512vl"}},
    {{Instruction::DotBytes, 256}, {"avxvnni"}},
    {{Instruction::DotBytes, 512}, {"avx512vnni"}},
    {{Instruction::DotPairs, 128}, {"avx512bf16", "avx512vl"}},
    {{Instruction::DotPairs, 256}, {"avx512bf16", "avx512vl"}},
    {{Instruction::DotPairs, 512}, {"avx512bf16"}},
    {{Instruction::RoundToBFloat, 256}, {"avx512bf16", "avx512vl"}},
    {{Instruction::RoundToBFloat, 512}, {"avx512bf16"}},
    {{Instruction::AddPairs, 128}, {"sse2"}},
    {{Instruction::AddPairs, 256}, {"avx2"}},
    {{Instruction::AddPairs, 512}, {"avx512bw"}},
    {{Instruction::ScaleByPower, 512}, {"avx512f"}},
    {{Instruction::PickBytes, 128}, {"ssse3"}},
    {{Instruction::PickBytes, 256}, {"avx2"}},
    {{Instruction::PickBytes, 512}, {"avx512bw"}},
    {{Instruction::WidenHalves, 128}, {"f16c"}},
});

void set_instructions(Isa& isa) {
  isa.instructions.clear();
  for (const FormRow& row : kForms) {
    const bool is_there =
        std::ranges::all_of(row.features, [&](std::string_view f) { return f.empty() || isa.has_feature(f); });
    if (is_there && !isa.has(row.form.instruction, row.form.vector_bits)) isa.instructions.push_back(row.form);
  }
}

std::list<Isa> all_rows() {
  std::list<Isa> out;
  std::vector<std::string> features;
  for (const Row& row : kRows) {
    features.insert(features.end(), row.features.begin(), row.features.end());
    std::ranges::sort(features);
    Isa isa{.name = std::string(row.name),
            .triple = std::string(kTriple),
            .cpu = std::string(row.name),
            .features = features,
            .vector_bits = row.vector_bits,
            .vector_registers = row.vector_registers,
            .instructions = {}};
    set_instructions(isa);
    out.push_back(std::move(isa));
  }
  return out;
}

std::list<Isa>& table() {
  static std::list<Isa> rows = all_rows();
  return rows;
}

}  // namespace

bool Isa::has_feature(std::string_view feature) const { return std::ranges::binary_search(features, feature); }

bool Isa::has(Instruction instruction, int bits) const {
  return std::ranges::find(instructions, Form{instruction, bits}) != instructions.end();
}

bool Isa::runs_here() const { return std::ranges::all_of(features, cpu::has_feature); }

Isa Isa::with_feature(std::string_view feature) const {
  Isa out = *this;
  if (has_feature(feature)) return out;
  out.features.emplace_back(feature);
  std::ranges::sort(out.features);
  set_instructions(out);
  return out;
}

std::vector<const Isa*> isas() {
  std::vector<const Isa*> out;
  for (const Isa& row : table()) out.push_back(&row);
  return out;
}

const Isa* find_isa(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Isa::name);
  return found == table().end() ? nullptr : &*found;
}

std::span<const std::string_view> extra_features() { return kExtra; }

AddedIsa::AddedIsa(Isa row) {
  std::ranges::sort(row.features);
  row_ = &table().emplace_back(std::move(row));
}
AddedIsa::~AddedIsa() {
  std::erase_if(table(), [this](const Isa& row) { return &row == row_; });
}

}  // namespace sunmao
