#include "frontend/node_account.h"

namespace sunmao {

std::string_view word_of(Fate fate) {
  switch (fate) {
    case Fate::Mapped: return "mapped";
    case Fate::Folded: return "folded";
    case Fate::Dropped: return "dropped";
    case Fate::Inlined: return "inlined";
  }
  return "";
}

}  // namespace sunmao
