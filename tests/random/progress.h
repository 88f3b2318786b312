// How far a long run of random cases has come, kept in a file that is good for the very program that wrote it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sunmao {

class Progress {
 public:
  /// Without a file nothing is kept.
  explicit Progress(std::string file);

  /// What was kept last; empty when nothing was, or by another program.
  std::vector<uint64_t> read() const;
  void write(const std::vector<uint64_t>& numbers) const;

 private:
  const std::string file_, program_;
};

}  // namespace sunmao
