#include "support/ref.h"

namespace sunmao {

void Node::destroy(const Node* node) noexcept {
  thread_local const Node* doomed = nullptr;
  thread_local bool busy = false;
  if (busy) {
    node->next_doomed_ = doomed;
    doomed = node;
    return;
  }
  busy = true;
  delete node;
  while (doomed) {
    const Node* next = std::exchange(doomed, doomed->next_doomed_);
    delete next;
  }
  busy = false;
}

}  // namespace sunmao
