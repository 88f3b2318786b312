// Device placement: a graph whose nodes, called places, are the tensors of unknown device. An edge joins two places
// that must be on one device. Demands and wishes assign a device to a place.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/type.h"
#include "support/span.h"

namespace sunmao {

/// The explanation of an edge or a demand for error messages, with its location in the source.
struct PlaceFact {
  std::string text;
  Span span;
};

class DeviceGraph {
 public:
  /// Adds a place; `name` is the tensor's name in error messages.
  int add(std::string name);
  /// Adds an edge between `a` and `b`. If it comes from a call of a function that may be copied, `call` is the number
  /// of that call, from the function of `a` to that of `b`; else it is kWithin or kShared.
  void join(int a, int b, const PlaceFact& fact, int call = kWithin);
  static constexpr int kWithin = -1;  // both places are in one function
  static constexpr int kShared = -2;  // across a call of a function that all callers share
  /// Demands that the place is on `device`.
  void fix(int place, Ref<VDevice> device, PlaceFact fact);
  /// Prefers `device` for the place if no demand determines its device. Each fulfilled wish saves a copy between
  /// devices.
  void wish(int place, Ref<VDevice> device, PlaceFact fact);

  /// Assigns a device to every place that a demand or a wish reaches. Fails (E0530), with the chain of facts, when
  /// connected places demand different devices. When such a chain enters a function by one call and leaves it by
  /// another, a copy of the function for one of the calls resolves the conflict: then the assignment stays incomplete,
  /// and `parted_calls` returns these pairs of calls.
  void solve();
  const std::set<std::pair<int, int>>& parted_calls() const { return parted_; }

  /// Returns the assigned device; null when neither a demand nor a wish reaches the place.
  Ref<VDevice> device(int place) const { return places_[static_cast<size_t>(place)].device; }
  /// Returns the facts on the path from the demand that determined the place's device to the place.
  std::vector<PlaceFact> reasons(int place) const;

 private:
  struct Edge {
    int to;
    int fact;
    int call;
    bool is_inwards;
  };
  using CallPair = std::optional<std::pair<int, int>>;
  // The calling context at the end of a path from a demand: the calls that the path has entered and not left, and the
  // first two calls that must call different copies.
  struct Chain {
    int inside = -1;  // index into `entered_`
    CallPair parted = {};
  };
  // An element of a linked stack of entered calls; `around` is the index of the enclosing call.
  struct Entered {
    int call;
    int around;
  };
  struct Place {
    std::string name;
    Ref<VDevice> device;
    int from = -1;  // the place from which the device was propagated
    int fact = -1;  // index of the fact that explains the edge
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
