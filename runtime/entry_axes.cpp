#include "runtime/entry_axes.h"

#include <algorithm>

namespace sunmao::runtime {

EntryAxes::EntryAxes(std::span<const abi::ValueRecord> params) {
  size_t count = 0;
  for (const abi::ValueRecord& param : params) {
    first_.push_back(count);
    count += param.rank;
  }
  seen_.resize(count, Seen::Nothing);
}

void EntryAxes::note(size_t param, uint32_t axis, bool is_check) {
  Seen& seen = seen_[first_[param] + axis];
  seen = std::max(seen, is_check ? Seen::Checked : Seen::Bound);
}

bool EntryAxes::is_done(size_t param, uint32_t axis, bool is_symbol) const {
  return seen_[first_[param] + axis] >= (is_symbol ? Seen::Bound : Seen::Checked);
}

}  // namespace sunmao::runtime
