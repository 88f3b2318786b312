// Which tensors must lie on one device, and which device that is: places, joined where one computation reads or makes
// them together, and fixed where something says so.
#pragma once
#include <optional>
#include <string>
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
  void join(int a, int b, const PlaceFact& fact);
  /// The place is on `device`, whatever else is said.
  void fix(int place, Ref<VDevice> device, PlaceFact fact);
  /// The place had best be on `device`, if nothing else says where it is: it saves a copy.
  void wish(int place, Ref<VDevice> device, PlaceFact fact);

  /// Settles every place. Fails (E0530) when two that are joined are fixed to different devices: with both facts and
  /// the chain between them.
  void solve();

  /// Null where nothing says anything.
  Ref<VDevice> device(int place) const { return places_[static_cast<size_t>(place)].device; }
  /// The facts that lead from what fixed the device of a place to the place.
  std::vector<PlaceFact> reasons(int place) const;

 private:
  struct Edge {
    int to;
    int fact;
  };
  struct Place {
    std::string name;
    Ref<VDevice> device;
    int from = -1;  // the place that its device came from
    int fact = -1;  // why
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
  void settle_wishes();
  std::vector<int> open_components() const;
  [[noreturn]] void contradict(int place, int other, int fact) const;
  [[noreturn]] void contradict_source(int place, const Source& source) const;

  std::vector<Place> places_;
  std::vector<PlaceFact> facts_;
  std::vector<Source> fixed_, wished_;
  std::vector<int> frontier_;
};

}  // namespace sunmao
