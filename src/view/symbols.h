// Symbols in the texts of types and attributes: which ones of two functions stand for each other.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sunmao::view {

using Symbols = std::set<std::string>;

/// Takes the names in the text of a size: "n" and "m" of "max(4 * n, m)".
void note_symbols(std::string_view size, Symbols& symbols);

/// Returns a text with a question mark in the place of each symbol outside of strings. Where `found` is given, it
/// receives the symbols in order.
std::string without_symbols(std::string_view text, const Symbols& symbols, std::vector<std::string>* found = nullptr);

/// Pairs the symbols of two functions, each with one of the other.
class SymbolPairs {
 public:
  SymbolPairs(const Symbols& a, const Symbols& b) : a_(a), b_(b) {}

  /// True when two texts are equal but for the names of symbols, and these are pairs, or may become pairs, which they
  /// then are.
  bool match(const std::string& a, const std::string& b);

 private:
  const Symbols &a_, &b_;
  std::map<std::string, std::string> forth_, back_;
};

}  // namespace sunmao::view
