// Isa: an instruction set that code is generated for, a row of one table: LLVM's names of its features, its vectors,
// and the instructions beyond plain arithmetic that it has. Costs of a machine are not here (target/machine.h).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sunmao {

/// Instructions that not every processor has, named by what they do. Schedules and code generation ask for these; names
/// of features are known to the table alone.
enum class Instruction : uint8_t {
  FusedMultiplyAdd,  // a * b + c, rounded once
  DotBytes,          // adds to each 32-bit sum the products of four unsigned bytes with four signed ones, exactly
  DotPairs,          // adds to each float32 sum the products of two bfloat16 with two others
  AddPairs,          // adds the products of two neighbouring signed 16-bit numbers as 32 bits
  ScaleByPower,      // x * 2 ^ floor(n) of floats
  PickBytes,         // in each 16 bytes of a vector, those of another vector whose places the bytes of a third are
  WidenHalves,       // float16 to float32
  RoundToBFloat,     // float32 to bfloat16; numbers below the normal ones become 0
};

struct Isa {
  /// An instruction on vectors of a width.
  struct Form {
    Instruction instruction;
    int vector_bits;
    friend bool operator==(const Form&, const Form&) = default;
  };

  std::string name;                   // "x86-64-v4", also of the code entry in an artifact
  std::string triple, cpu;            // LLVM's: architecture and system, and the processor that it models
  std::vector<std::string> features;  // sorted; code uses no others, and the runtime checks them when it loads code
  int vector_bits = 128;
  int vector_registers = 16;
  std::vector<Form> instructions;

  bool has_feature(std::string_view name) const;
  /// True when the instruction is there for vectors of so many bits.
  bool has(Instruction instruction, int bits) const;
  /// True when it is there for the widest vectors.
  bool has(Instruction instruction) const { return has(instruction, vector_bits); }
  /// True when this machine has all features.
  bool runs_here() const;
  /// Returns the number of elements of `bits` bits in a vector register.
  int lanes(int bits) const { return vector_bits / bits; }
  /// Returns the instruction set with another feature, and the instructions that come with it.
  Isa with_feature(std::string_view feature) const;
  friend bool operator==(const Isa&, const Isa&) = default;
};

/// All rows; those of an architecture lowest first: the levels of the x86-64 psABI.
std::vector<const Isa*> isas();
/// Returns null when no row has the name.
const Isa* find_isa(std::string_view name);
/// The features that no row has and that may be added to one.
std::span<const std::string_view> extra_features();

/// Adds a row to the table while it lives: an instruction set that is tried out. Only one thread may use the table when
/// it comes and goes.
class AddedIsa {
 public:
  explicit AddedIsa(Isa row);
  ~AddedIsa();
  AddedIsa(const AddedIsa&) = delete;
  AddedIsa& operator=(const AddedIsa&) = delete;

 private:
  const Isa* row_;
};

}  // namespace sunmao
