// States: the values that a session keeps between runs, in blocks of its machine.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "io/status.h"
#include "runtime/blocks.h"
#include "runtime/model.h"
#include "sunmao/dlpack.h"

namespace sunmao::runtime {

/// A value is at first a weight, where it lies, or zeros, which are made when they are needed.
class States {
 public:
  States(const Model& model, Blocks& blocks);
  States(const States&) = delete;
  States& operator=(const States&) = delete;

  size_t count() const { return values_.size(); }
  /// Makes the value of a state ready to be read. E0925 when it was lost, E0910 when there is no memory for zeros.
  io::Status prepare(size_t state);
  /// Of a state that is ready.
  const Tensor& tensor(size_t state) const { return values_[state].tensor; }
  std::span<const int64_t> shape(size_t state) const { return values_[state].shape; }

  /// Gives the blocks of these states to a run that makes their next values. Then `keep` or `take_back` must follow.
  /// `states` lives until then.
  void lend(std::span<const uint32_t> states, Blocks::Owner run);
  std::span<const uint32_t> lent() const { return lent_; }
  /// Makes what a run delivered the values of the states that it was lent. What lies in no block of the run, or in that
  /// of a state before, is copied. After a failure (E0910) `take_back` must follow.
  io::Status keep(std::span<const Tensor> delivered, std::span<const int64_t> sizes, Blocks::Owner run);
  /// Takes back what was lent and not changed since; what was changed is lost.
  void take_back(Blocks::Owner run);

  /// Gives all states their first values.
  void reset();

  /// New values of states, which become theirs all together or not at all.
  class Change {
   public:
    explicit Change(States& states) : states_(states) {}
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    /// Gives back what was not accepted.
    ~Change();

    /// Returns memory for a value of this shape; its bytes are anything. E0910 when there is none.
    io::Result<void*> make(uint32_t state, std::span<const int64_t> shape);
    void accept();

   private:
    struct New {
      uint32_t state;
      Tensor tensor;
      std::vector<int64_t> shape;
    };
    States& states_;
    std::vector<New> made_;
    uint32_t list_ = kNoBlock;
  };

  /// Gives the states the values that those of another session have. E0910 when there is no memory for them.
  io::Status copy(const States& from);

 private:
  enum class Is : uint8_t { There, Zeros, Lost };
  struct Value {
    Tensor tensor;
    std::vector<int64_t> shape;
    Is is;
  };

  Value first_value(size_t state) const;
  Blocks::Owner owner() { return {list_, kNobody}; }
  Storage in_block(uint32_t block) const;
  /// Gives back what no state has any more.
  void drop_unused();

  static constexpr size_t kNobody = 0;  // as an owner: no function runs as this one

  const Model& model_;
  Blocks& blocks_;
  std::vector<Value> values_;
  uint32_t list_ = kNoBlock;  // the blocks of the values
  std::span<const uint32_t> lent_;
  std::vector<Tensor> next_;  // their next values
};

/// Returns a state's name in messages: "state `x`".
std::string describe_state(const Model& model, size_t state);

/// Fails (E0905, E0906) when a value of this shape, whose rank is right, can be none of a state.
io::Status check_state_shape(const Model& model, size_t state, std::span<const int64_t> shape);

}  // namespace sunmao::runtime
