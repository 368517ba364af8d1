// Ceilings: the fastest plain move of the cell's own bytes on this device, with which a case's bandwidth is
// compared.
#include <fmt/format.h>

#include <algorithm>

#include "src/instruments/instrument.hpp"

namespace redbench {
namespace {

constexpr const char* no_ceiling = "a device without time, mode graph, or a cell too small for a ceiling";
constexpr const char* no_own =
    "a device without time, mode graph, a cell too small for a ceiling, or one that writes and has no room "
    "to write twice";
constexpr const char* no_room =
    "a device without time, mode graph, a cell too small for a ceiling, or no room for as many bytes again";
constexpr const char* no_mix =
    "mode graph, the cell writes at most 1 % of what it reads, or it has no ceiling";

const FieldRegistration registration(
    "ceilings",
    {{.name = "percent_of_ceiling",
      .meaning =
          "100 × `bandwidth_gb_per_s` / the ceiling of the cell's own mix: `ceiling_mix_gb_per_s`, where "
          "that is null `ceiling_read_gb_per_s`; of several forks the median of each fork's own share, which "
          "the medians of the two need not give",
      .null_where = no_own,
      .of_passed = true,
      .over_forks = OverForks::median,
      .label = "share of the measured ceiling",
      .unit = "%",
      .digits = Digits::by_interval},
     {.name = "above_ceiling",
      .kind = FieldKind::flag,
      .meaning = "the percentage is above 100, so one of the two numbers is off: tables say so",
      .null_where = no_own,
      .of_passed = true},
     {.name = "ceiling_read_gb_per_s",
      .meaning =
          "the best rate at which the device read all inputs of the cell, as they lie, in the same rounds",
      .null_where = no_ceiling,
      .of_passed = true,
      .over_forks = OverForks::median},
     {.name = "ceiling_read_by",
      .kind = FieldKind::text,
      .meaning = "which way of reading won",
      .null_where = no_ceiling,
      .of_passed = true},
     {.name = "ceiling_mix_gb_per_s",
      .meaning =
          "the same for one kernel that reads the inputs and writes as many bytes as the results have, in "
          "proportion; both are counted",
      .null_where = no_mix,
      .of_passed = true,
      .over_forks = OverForks::median},
     {.name = "ceiling_mix_by",
      .kind = FieldKind::text,
      .meaning = "which way of moving the mix won",
      .null_where = no_mix,
      .of_passed = true},
     {.name = "ceiling_copy_gb_per_s",
      .meaning = "the same for a copy of all inputs, which counts its bytes twice",
      .null_where = no_room,
      .of_passed = true,
      .over_forks = OverForks::median},
     {.name = "ceiling_write_gb_per_s",
      .meaning = "the same for writing as many bytes as the inputs have",
      .null_where = no_room,
      .of_passed = true,
      .over_forks = OverForks::median}});

class Ceilings : public Instrument {
 public:
  explicit Ceilings(const Sampling& sampling) : Instrument(sampling), to_(sampling.meter.device()) {}

  /// Tries the ways of each move; the fastest is sampled in the same rounds as the cases.
  void start(std::vector<Series>& series) override {
    series_ = &series;
    const std::size_t in = Move{sampling_.inputs}.bytes_read(), out = Move::whole(sampling_.result_bytes);
    const bool mixed = out > in / 100;
    // Room to write to: for all moves, else for the cell's own alone.
    const std::size_t least = mixed ? out : 0;
    for (const std::size_t bytes : {std::max(in, least), least})
      if (room_ == 0 && bytes >= smallest && to_.allocate(bytes)) room_ = bytes;
    const bool copies = mixed && in == out;
    add({"read", "ceiling_read_gb_per_s", !mixed}, {sampling_.inputs, nullptr, 0});
    add({"copy", "ceiling_copy_gb_per_s", copies}, {sampling_.inputs, to_.start(), in});
    add({"write", "ceiling_write_gb_per_s"}, {{}, to_.start(), in});
    if (mixed && !copies) add({"mix", "ceiling_mix_gb_per_s", true}, {sampling_.inputs, to_.start(), out});
    // Copy and write are reported on their own, so they are sampled until they are precise themselves. What
    // cases are compared with takes the rounds that these need: the cell's own mix, and reads, which are the
    // own move of most cells.
    for (Way& way : ways_) {
      way.place = series.size();
      series.push_back({.sample = [this, enqueue = way.mover.enqueue] { return sampling_.sample(enqueue); },
                        .name = fmt::format("the ceiling ({})", way.name),
                        .asks_for_rounds = way.name != "read" && !way.is_own});
    }
  }

  void stop(const SampledCase&, Record& record) override {
    for (const Way& way : ways_) {
      const double rate = gb_per_s(way);
      if (rate == 0) continue;
      record[way.field] = rate;
      if (way.name == "read") record["ceiling_read_by"] = way.mover.how;
      if (!way.is_own) continue;
      if (way.name != "read") {
        record["ceiling_mix_gb_per_s"] = rate;
        record["ceiling_mix_by"] = way.mover.how;
      }
      const double percent = 100 * record["bandwidth_gb_per_s"].get<double>() / rate;
      record["percent_of_ceiling"] = percent;
      record["above_ceiling"] = percent > 100;
    }
  }

 private:
  struct Way {
    std::string name;
    const char* field;    // of the record
    bool is_own = false;  // moves what the cell moves
    std::size_t bytes = 0;
    Mover mover = {};
    std::size_t place = 0;  // of its series
  };

  /// Keeps the fastest way of a move, if there are bytes to move and room for them: by the median of `trials`
  /// samples, as one lucky sample is no ceiling. After each trial the slower half is dropped, down to four. What an
  /// earlier cell of this process has found for as many bytes, in such pages and in this mode, is not searched again.
  void add(Way fastest, const Move& move) {
    constexpr int trials = 5;
    if (move.bytes() < smallest || move.written > room_) return;
    std::string& found = sampling_.meter.fastest_mover(move, sampling_.pages, sampling_.mode);
    struct Trial {
      Mover mover;
      std::vector<double> samples;
    };
    std::vector<Trial> tried;
    for (const Mover& mover : sampling_.meter.movers(move)) {
      if (!found.empty() && mover.how != found) continue;
      mover.enqueue();  // loads the kernel
      tried.push_back({mover, {}});
    }
    if (tried.empty()) return;
    for (int trial = 0; found.empty() && trial < trials; ++trial) {
      for (Trial& way : tried) way.samples.push_back(sampling_.sample(way.mover.enqueue));
      std::ranges::stable_sort(tried, {}, [](const Trial& way) { return median_of(way.samples).value; });
      tried.resize(std::min(tried.size(), std::max<std::size_t>(4, tried.size() / 2)));
    }
    fastest.bytes = move.bytes();
    fastest.mover = tried.front().mover;
    found = fastest.mover.how;
    ways_.push_back(std::move(fastest));
  }

  /// From the samples so far; 0: there are none.
  double gb_per_s(const Way& way) const {
    const std::vector<double>& samples = (*series_)[way.place].samples;
    return samples.empty() ? 0 : double(way.bytes) / median_of(samples).value;
  }

  static constexpr std::size_t smallest = 4096;  // below a page there is nothing to fill a device with

  const std::vector<Series>* series_ = nullptr;
  SpareMemory to_;
  std::size_t room_ = 0;
  std::vector<Way> ways_;
};

}  // namespace

std::unique_ptr<Instrument> make_ceilings(const Sampling& sampling) {
  return std::make_unique<Ceilings>(sampling);
}

}  // namespace redbench
