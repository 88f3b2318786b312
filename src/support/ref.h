// Ref<T>: the owning handle of IR nodes. It gives const access only, so a shared node cannot change.
// Node: the base class of nodes, with an intrusive reference count and destruction without recursion.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace sunmao {

class Node {
 public:
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

 public:
  /// The number of node levels below this one, for kinds that track it (support/depth.h).
  uint32_t depth() const { return depth_; }

 protected:
  explicit Node(uint32_t depth = 0) : depth_(depth) {}
  virtual ~Node() = default;

 private:
  template <class T>
  friend class Ref;
  void retain() const noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(this);
  }
  /// Deletes `node`. Nodes whose last reference it held are queued and deleted by the outermost call, to limit
  /// recursion.
  static void destroy(const Node* node) noexcept;

  mutable std::atomic<uint32_t> refs_{0};
  const uint32_t depth_;
  mutable const Node* next_doomed_ = nullptr;
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  /// Takes shared ownership of a node, which must have been created with `new`.
  explicit Ref(const T* node) : p_(node) { retain(); }
  Ref(const Ref& other) : p_(other.p_) { retain(); }
  Ref(Ref&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  template <class U>
    requires(std::is_convertible_v<const U*, const T*> && !std::is_same_v<U, T>)
  Ref(const Ref<U>& other) : p_(other.get()) {
    retain();
  }
  ~Ref() {
    if (p_) static_cast<const Node*>(p_)->release();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }

  const T* get() const { return p_; }
  const T* operator->() const { return p_; }
  const T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool same_as(const Ref& other) const { return p_ == other.p_; }
  /// Compares identity; `structural_equal` compares structure.
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }
  friend bool operator==(const Ref& a, std::nullptr_t) { return a.p_ == nullptr; }

 private:
  void retain() const {
    if (p_) static_cast<const Node*>(p_)->retain();
  }
  const T* p_ = nullptr;
};

/// Returns the node as a `T`, or null. `T::matches(base)` decides by kind, without RTTI.
template <class T, class Base>
const T* find(const Ref<Base>& ref) {
  return ref && T::matches(*ref) ? static_cast<const T*>(ref.get()) : nullptr;
}

/// Returns the node as an owning `Ref<T>`; null when the kind differs.
template <class T, class Base>
Ref<T> find_ref(const Ref<Base>& ref) {
  return Ref<T>(find<T>(ref));
}

}  // namespace sunmao

template <class T>
struct std::hash<sunmao::Ref<T>> {
  size_t operator()(const sunmao::Ref<T>& ref) const noexcept { return std::hash<const T*>()(ref.get()); }
};
