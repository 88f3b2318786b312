// The text of a disassembled program, read line by line and operand by operand.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunmao::view {

/// A line of the disassembly, read from left to right.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  /// Skips `text` if the line goes on with it; returns whether it does.
  bool take(std::string_view text);
  /// Skips all up to and with `end`; returns what stands before it.
  std::string_view until(std::string_view end);
  size_t number();

 private:
  std::string_view rest_;
};

/// Returns the numbers behind `letter` in a list of registers: 3 and 17 of "t3, d2, t17".
std::vector<size_t> registers(std::string_view text, char letter);

/// Leaves out texts between backquotes, so that names with spaces or commas are not taken for registers.
std::string without_names(std::string_view text);

/// Splits at the commas that are in no name, bracket or parenthesis.
std::vector<std::string_view> split_operands(std::string_view text);

/// An argument or a result of a call: "t3 (d0, d1)", "sizes in t3 (d0)", "delivered 0 (?)".
struct PassedValue {
  std::optional<size_t> reg = {};        // a tensor register
  std::optional<size_t> delivered = {};  // a result of the call before, in a chain
  std::vector<std::optional<size_t>> dims = {};
};
std::vector<PassedValue> passed_values(std::string_view group);

struct PassedCall {
  std::string function;
  std::vector<PassedValue> arguments;
};

/// The operands of `Invoke`, `Follow`, `Chain` and their forms with a choice.
struct CallOperands {
  std::optional<size_t> condition = {};  // a tensor register
  std::vector<PassedCall> calls = {};
  std::vector<PassedValue> results = {};
};
CallOperands call_operands(std::string_view operands);

}  // namespace sunmao::view
