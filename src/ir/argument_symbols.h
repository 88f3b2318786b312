// ArgumentSymbols: maps the symbols in types of parameters to the sizes and values that arguments have there.
#pragma once
#include <unordered_set>

#include "ir/copy.h"

namespace sunmao {

/// Maps each symbol in a copy where it is first a whole dimension or value.
class ArgumentSymbols {
 public:
  explicit ArgumentSymbols(FreshCopy& copy) : copy_(copy) {}
  void match(const Type& param, const Type& arg);

 private:
  void match(const std::vector<Scalar>* param, const std::vector<Scalar>* arg);
  void match(const Scalar& param, const Scalar& arg);

  FreshCopy& copy_;
  std::unordered_set<Ref<SymVar>> known_;
};

}  // namespace sunmao
