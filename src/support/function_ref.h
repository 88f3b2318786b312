// FunctionRef: a non-owning reference to a callable, which must outlive it. Calling through it uses a small stack
// frame, which matters in deep recursion.
#pragma once
#include <memory>
#include <type_traits>
#include <utility>

namespace sunmao {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
  FunctionRef(F&& f)
      : object_(std::addressof(f)), call_([](const void* object, Args... args) -> R {
          return (*static_cast<const std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  const void* object_;
  R (*call_)(const void*, Args...);
};

}  // namespace sunmao
