// Equality: structural comparison of scalars up to renaming of definitions (symbols, variables, buffers). Higher levels
// extend it to their nodes; the path tells where two structures first differ.
#pragma once
#include <string>
#include <unordered_map>

#include "support/hash.h"
#include "sym/scalar.h"

namespace sunmao {

class Equality {
 public:
  struct Options {
    bool map_free = false;             // free names may differ, if consistently
    bool skip_tensor_content = false;  // constants of equal type are equal
    bool skip_block_names = false;
  };
  Equality() = default;
  explicit Equality(Options options) : options_(options) {}

  bool scalar(const Scalar& a, const Scalar& b);
  bool scalars(std::span<const Scalar> a, std::span<const Scalar> b);
  const Options& options() const { return options_; }
  /// Maps `a` of the left side to `b` of the right side; false if either is mapped otherwise.
  bool define(const Node* a, const Node* b);
  /// Maps what a construct with a scope binds on both sides. A node may be bound again, since expressions are shared.
  void bind(const Node* a, const Node* b);
  /// True when `a` and `b` are mapped to each other, or both free and identical; with `map_free`, maps free ones.
  bool same(const Node* a, const Node* b);

  /// Records the reason and the path of the first difference; returns false.
  bool differ(std::string why);
  /// An element of the path, removed when the scope ends.
  class Step {
   public:
    Step(Equality& e, std::string name) : e_(e) { e_.path_.push_back(std::move(name)); }
    ~Step() { e_.path_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Equality& e_;
  };
  /// The recorded difference, such as "functions.main.body.blocks[0].bindings[2]: 3 against 4"; empty when there is
  /// none.
  const std::string& difference() const { return difference_; }

 private:
  Options options_;
  std::unordered_map<const Node*, const Node*> to_right_, to_left_;
  std::vector<std::string> path_;
  std::string difference_;
};

bool structural_equal(const Scalar& a, const Scalar& b);

/// Hashes scalars consistently with Equality under the same options: a defined name by its index of definition, a free
/// one by its name (with `map_free`, as if it were defined at its first occurrence).
class StructuralHasher : public Hasher {
 public:
  StructuralHasher() = default;
  explicit StructuralHasher(Equality::Options options) : options_(options) {}
  const Equality::Options& options() const { return options_; }
  void scalar(const Scalar& s);
  void define(const Node* node);
  /// Defines what a construct with a scope binds, also when it is bound again.
  void bind(const Node* node) { numbers_[node] = ++count_; }
  /// Defines a name whose definition is irrelevant to equality; it does not affect the numbering of others.
  void define_aside(const Node* node) { numbers_.try_emplace(node, 0); }
  /// Hashes a used name: by its number if it is defined, else by `free_name`.
  void name(const Node* node, std::string_view free_name);

 private:
  Equality::Options options_;
  std::unordered_map<const Node*, uint64_t> numbers_;
  uint64_t count_ = 0;
};

uint64_t structural_hash(const Scalar& s);

}  // namespace sunmao
