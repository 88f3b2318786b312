// Random numbers of the seeded fuzz drivers, the same on every machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <random>

/// A random number generator with a range reduction of its own, since standard distributions differ between libraries.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t bits() { return engine_(); }
  size_t below(size_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  /// Returns true once in `times` calls.
  bool once_in(size_t times) { return below(times) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937_64 engine_;
};
