// Progress: how far a long run of random cases has got, stored in a file that is valid only for the program that wrote
// it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sunmao {

class Progress {
 public:
  /// With an empty file name nothing is stored.
  explicit Progress(std::string file);

  /// Returns the stored numbers; empty when there are none or another program wrote them.
  std::vector<uint64_t> read() const;
  void write(const std::vector<uint64_t>& numbers) const;

 private:
  const std::string file_, program_;
};

}  // namespace sunmao
