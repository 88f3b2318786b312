// overloaded: a set of lambdas as one callable, for std::visit and for dispatch over node kinds.
#pragma once

namespace sunmao {

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

}  // namespace sunmao
