// Which tensors must lie on one device, and which device that is: places, joined where one computation reads or makes
// them together, and fixed where something says so.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/type.h"
#include "support/span.h"

namespace sunmao {

/// A fact about places, in words, and where it is written.
struct PlaceFact {
  std::string text;
  Span span;
};

class DeviceGraph {
 public:
  /// A new place, of a tensor that people know by that name.
  int add(std::string name);
  /// `call` is the number of the call that leads from `a` to `b`, when it reaches a function that may be copied.
  void join(int a, int b, const PlaceFact& fact, int call = kWithin);
  static constexpr int kWithin = -1;  // both are in one function
  static constexpr int kShared = -2;  // a call between them reaches a function that all callers share
  /// The place is on `device`, whatever else is said.
  void fix(int place, Ref<VDevice> device, PlaceFact fact);
  /// The place had best be on `device`, if nothing else says where it is: it saves a copy.
  void wish(int place, Ref<VDevice> device, PlaceFact fact);

  /// Settles every place. Fails (E0530) when two that are joined are fixed to different devices: with both facts and
  /// the chain between them. Where such a chain enters a function by one call and leaves it by another, a copy of the
  /// function breaks it: then nothing is settled, and `parted_calls` says which two calls want a function each.
  void solve();
  const std::set<std::pair<int, int>>& parted_calls() const { return parted_; }

  /// Null where nothing says anything.
  Ref<VDevice> device(int place) const { return places_[static_cast<size_t>(place)].device; }
  /// The facts that lead from what fixed the device of a place to the place.
  std::vector<PlaceFact> reasons(int place) const;

 private:
  struct Edge {
    int to;
    int fact;
    int call;
    bool is_inwards;
  };
  using CallPair = std::optional<std::pair<int, int>>;
  // A chain from a demand: the calls that it is inside of, and the first two that a copy would part.
  struct Chain {
    int inside = -1;  // of entered_
    CallPair parted = {};
  };
  // A call that was entered, and the one around it.
  struct Entered {
    int call;
    int around;
  };
  struct Place {
    std::string name;
    Ref<VDevice> device;
    int from = -1;  // the place that its device came from
    int fact = -1;  // why
    Chain chain = {};
    std::vector<Edge> edges;
  };
  struct Source {
    int place;
    Ref<VDevice> device;
    int fact;
  };

  int keep(const PlaceFact& fact);
  void start(const Source& source);
  void spread();
  Chain extended(Chain chain, const Edge& edge);
  CallPair parted(const Chain& a, const Chain& b) const;
  std::set<std::pair<int, int>> calls_parted_by_demands() const;
  void settle_wishes();
  std::vector<int> open_components() const;
  [[noreturn]] void contradict(int place, int other, int fact) const;
  [[noreturn]] void contradict_source(int place, const Source& source) const;

  std::vector<Place> places_;
  std::vector<PlaceFact> facts_;
  std::vector<Source> fixed_, wished_;
  std::vector<int> frontier_;
  std::vector<Entered> entered_;
  std::set<std::pair<int, int>> parted_;
};

}  // namespace sunmao
