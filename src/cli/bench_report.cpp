#include "cli/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/console.h"
#include "io/json_writer.h"

namespace sunmao::cli {
namespace {

using Cells = std::vector<std::string>;

Cells column_names(const std::vector<BenchRow>& rows) {
  Cells out;
  for (const auto& [symbol, size] : rows.front().sizes) out.push_back(symbol);
  out.emplace_back("threads");
  return out;
}

Cells sizes_of(const BenchRow& row) {
  Cells out;
  for (const auto& [symbol, size] : row.sizes) out.push_back(std::to_string(size));
  out.push_back(std::to_string(row.threads_used));
  return out;
}

void append(Cells& cells, Cells more) { cells.insert(cells.end(), more.begin(), more.end()); }

Cells people_cells(const BenchRow& row) {
  const BenchNumbers n = numbers_of(row.seconds);
  return {fmt::format("{} ± {:.1f} %", duration(n.mean), n.mean > 0 ? 100 * n.deviation / n.mean : 0),
          duration(n.median), duration(n.fastest), std::to_string(row.seconds.size()),
          fmt::format("{:.1f}", 1 / n.mean)};
}

size_t columns_of(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string aligned(const std::vector<Cells>& table) {
  std::vector<size_t> widths(table.front().size(), 0);
  for (const Cells& row : table)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  std::string out;
  for (size_t r = 0; r < table.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < table[r].size(); ++i)
      line += std::string(widths[i] - columns_of(table[r][i]) + (i > 0 ? 2 : 0), ' ') + table[r][i];
    out += (r == 0 ? bold(line) : line) + "\n";
  }
  return out;
}

std::string text_table(const std::vector<BenchRow>& rows, const BenchMachine& machine) {
  std::vector<Cells> table{column_names(rows)};
  append(table[0], {"mean", "median", "fastest", "runs", "runs/s"});
  for (const BenchRow& row : rows) {
    table.push_back(sizes_of(row));
    append(table.back(), people_cells(row));
  }
  return aligned(table) + dim(fmt::format("{}, {}, code for {}", machine.build, machine.processor, machine.isa)) + "\n";
}

std::string markdown(const std::vector<BenchRow>& rows, const BenchMachine& machine) {
  Cells header = column_names(rows);
  append(header, {"mean", "median", "fastest", "runs", "runs/s", "build", "processor", "instruction set"});
  std::string out = fmt::format("| {} |\n|", fmt::join(header, " | "));
  for (size_t i = 0; i < header.size(); ++i) out += "---|";
  out += "\n";
  for (const BenchRow& row : rows) {
    Cells cells = sizes_of(row);
    append(cells, people_cells(row));
    append(cells, {machine.build, machine.processor, machine.isa});
    out += fmt::format("| {} |\n", fmt::join(cells, " | "));
  }
  return out;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv(const std::vector<BenchRow>& rows, const BenchMachine& machine) {
  Cells header = column_names(rows);
  append(header, {"seconds_mean", "seconds_deviation", "seconds_median", "seconds_fastest", "runs", "build",
                  "processor", "isa"});
  const auto line = [](const Cells& cells) {
    std::string out;
    for (const std::string& cell : cells) out += (out.empty() ? "" : ",") + csv_cell(cell);
    return out + "\n";
  };
  std::string out = line(header);
  for (const BenchRow& row : rows) {
    const BenchNumbers n = numbers_of(row.seconds);
    Cells cells = sizes_of(row);
    for (double x : {n.mean, n.deviation, n.median, n.fastest}) cells.push_back(fmt::format("{:.6g}", x));
    append(cells, {std::to_string(row.seconds.size()), machine.build, machine.processor, machine.isa});
    out += line(cells);
  }
  return out;
}

std::string json(const std::vector<BenchRow>& rows, const BenchMachine& machine) {
  io::JsonWriter w({.indent = 2});
  w.begin_array();
  for (const BenchRow& row : rows) {
    const BenchNumbers n = numbers_of(row.seconds);
    w.begin_object().key("sizes").begin_object();
    for (const auto& [symbol, size] : row.sizes) w.key(symbol).value(size);
    w.end_object().key("threads").value(row.threads_used).key("runs").value(row.seconds.size());
    w.key("seconds_mean").value(n.mean).key("seconds_deviation").value(n.deviation);
    w.key("seconds_median").value(n.median).key("seconds_fastest").value(n.fastest);
    w.key("build").value(machine.build).key("processor").value(machine.processor).key("isa").value(machine.isa);
    w.end_object();
  }
  return w.end_array().take() + "\n";
}

}  // namespace

BenchNumbers numbers_of(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const auto count = static_cast<double>(seconds.size());
  BenchNumbers out{.mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / count,
                   .deviation = 0,
                   .median = seconds[seconds.size() / 2],
                   .fastest = seconds.front()};
  double squares = 0;
  for (double s : seconds) squares += (s - out.mean) * (s - out.mean);
  out.deviation = seconds.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return out;
}

std::string bench_text(const std::vector<BenchRow>& rows, const BenchMachine& machine, const std::string& format) {
  if (format == "md") return markdown(rows, machine);
  if (format == "csv") return csv(rows, machine);
  return format == "json" ? json(rows, machine) : text_table(rows, machine);
}

}  // namespace sunmao::cli
