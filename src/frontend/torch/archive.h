// The .pt2 container: its entries, versions, and the graph as JSON. It knows nothing of graphs.
#pragma once
#include <string>

#include "io/json.h"
#include "io/zip.h"
#include "support/span.h"

namespace sunmao::torch {

class Archive {
 public:
  /// Opens an archive of torch.export.save with one model. E0701 to E0704 for anything else.
  static Archive open(const io::Bytes& file, const Span& whole);

  /// models/<model>.json without the metadata that nobody reads.
  io::JsonDocument graph() const;
  /// data/weights/<model>_weights_config.json and data/constants/<model>_constants_config.json.
  io::JsonDocument weights_config() const;
  io::JsonDocument constants_config() const;
  /// The bytes of an entry below data/weights or data/constants.
  io::Bytes data(const std::string& folder, std::string_view path, const Span& span) const;

 private:
  Archive(io::ZipReader zip, Span whole) : zip_(std::move(zip)), whole_(std::move(whole)) {}
  void find_root();
  void check_versions() const;
  void find_model();
  std::string text(const std::string& name) const;
  io::JsonDocument json(const std::string& name) const;

  io::ZipReader zip_;
  Span whole_;
  std::string root_;  // ends with a slash
  std::string model_;
};

}  // namespace sunmao::torch
