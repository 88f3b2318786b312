// The container format of .pt2 files: entries, versions, and JSON documents. Independent of the graph's contents.
#pragma once
#include <string>

#include "io/json.h"
#include "io/zip.h"
#include "support/span.h"

namespace sunmao::torch {

class Archive {
 public:
  /// Opens an archive with one model, written by torch.export.save. Fails on other files (E0701 to E0703, or the zip
  /// reader's codes).
  static Archive open(const io::Bytes& file, const Span& whole);

  /// Returns models/<model>.json without unused metadata.
  io::JsonDocument graph() const;
  /// Return data/weights/<model>_weights_config.json and data/constants/<model>_constants_config.json.
  io::JsonDocument weights_config() const;
  io::JsonDocument constants_config() const;
  /// Returns the bytes of an entry below data/weights or data/constants.
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

/// Parses the JSON of a program without unused metadata; `name` is used in messages.
io::JsonDocument parse_graph(const io::Bytes& json, const std::string& name, const Span& whole);

}  // namespace sunmao::torch
