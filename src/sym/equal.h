// Equality: structural comparison of scalars under a mapping of what each side defines (symbols, variables, buffers).
// The levels above extend it with their own nodes; the path says where two things first differ.
#pragma once
#include <string>
#include <unordered_map>

#include "support/hash.h"
#include "sym/scalar.h"

namespace sunmao {

class Equality {
 public:
  struct Options {
    bool map_free = false;             // a free name may stand for another one, consistently
    bool skip_tensor_content = false;  // constants are equal where their types are
  };
  Equality() = default;
  explicit Equality(Options options) : options_(options) {}

  bool scalar(const Scalar& a, const Scalar& b);
  bool scalars(std::span<const Scalar> a, std::span<const Scalar> b);
  const Options& options() const { return options_; }
  /// Declares that `a` on the left and `b` on the right are the same from here on; false if either is mapped otherwise.
  bool define(const Node* a, const Node* b);
  /// The same name: mapped to each other, or free and identical (or mapped now, with `map_free`).
  bool same(const Node* a, const Node* b);

  /// Records why and where the comparison failed, once; returns false.
  bool differ(std::string why);
  /// A step of the path; popped when the scope ends.
  class Step {
   public:
    Step(Equality& e, std::string name) : e_(e) { e_.path_.push_back(std::move(name)); }
    ~Step() { e_.path_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Equality& e_;
  };
  /// "functions.main.body.blocks[0].bindings[2]: 3 against 4"; empty when equal.
  const std::string& difference() const { return difference_; }

 private:
  Options options_;
  std::unordered_map<const Node*, const Node*> to_right_, to_left_;
  std::vector<std::string> path_;
  std::string difference_;
};

bool structural_equal(const Scalar& a, const Scalar& b);

/// Hashes scalars so that those agree that are equal under the same options: a defined name counts by its order of
/// definition, a free one by its name (or, with `map_free`, as if it were defined where it stands first).
class StructuralHasher : public Hasher {
 public:
  StructuralHasher() = default;
  explicit StructuralHasher(Equality::Options options) : options_(options) {}
  const Equality::Options& options() const { return options_; }
  void scalar(const Scalar& s);
  void define(const Node* node);
  /// Something that is defined, or not, without a difference in meaning: it shifts no other number.
  void define_aside(const Node* node) { numbers_.try_emplace(node, 0); }
  /// A name in use: its number if defined here, else `free_name`.
  void name(const Node* node, std::string_view free_name);

 private:
  Equality::Options options_;
  std::unordered_map<const Node*, uint64_t> numbers_;
  uint64_t count_ = 0;
};

uint64_t structural_hash(const Scalar& s);

}  // namespace sunmao
