#include "src/caches/loop.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/caches/clock.hpp"
#include "src/inputs/words.hpp"

namespace redbench::caches {
namespace {

using u64 = std::uint64_t;

u64 part(u64 whole, u64 numerator, u64 denominator) {
  return u64((unsigned __int128)(whole)*numerator / denominator);
}

/// The labels as they are given, and as a sort by their top bits leaves them: each a function of its place,
/// so that a loop can be looked at from anywhere. Of random labels each stretch has its exact share.
class LabelsOf {
 public:
  explicit LabelsOf(const Loop& loop) : loop_(loop), shift_(std::bit_width(loop.m - 1) - loop.sort_bits) {}

  u64 given(u64 i) const {
    switch (loop_.labels) {
      case Labels::degenerate:
        return 0;
      case Labels::sequential:
        return i % loop_.m;
      case Labels::sorted:
        return part(i, loop_.m, loop_.n);
      case Labels::uniform:
        break;
    }
    return below(i, loop_.m);
  }

  /// Where a sort puts the first of a digit. Starts at equal distances would all be in the same set of a
  /// cache: those of random labels are as far off as theirs are on average.
  u64 digit_start(u64 digit, u64 digits) const {
    const u64 start = part(loop_.n, digit, digits);
    if (loop_.labels != Labels::uniform) return start;
    const double share = double(digit) / double(digits);
    const double off = double(words_[digit] >> 11) * 0x1p-52 - 1;  // -1 to 1, of variance 1/3
    return u64(std::max(0.0, double(start) + off * std::sqrt(3 * double(loop_.n) * share * (1 - share))));
  }

  /// The label and the index of what lies at a place after the sort.
  struct Sorted {
    u64 label, index;
  };
  Sorted sorted(u64 place) const {
    const Labels kind = loop_.labels;
    if (kind == Labels::sorted || kind == Labels::degenerate ||
        (kind == Labels::sequential && loop_.m >= loop_.n))
      return {given(place), place};
    const u64 first = part(place, loop_.m, loop_.n) >> shift_ << shift_;
    const u64 width = std::min(u64(1) << shift_, loop_.m - first);
    const u64 within = place - std::min(place, part(loop_.n, first, loop_.m));
    if (kind == Labels::sequential) {
      const u64 label = first + within % width;
      return {label, std::min(loop_.n - 1, within / width * loop_.m + label)};
    }
    return {first + below(place, width), std::min(loop_.n - 1, part(within, loop_.m, width))};
  }

 private:
  u64 below(u64 i, u64 limit) const { return part(limit, words_[i] >> 1, u64(1) << 63); }

  const Loop& loop_;
  int shift_;
  Words words_{1};
};

/// Arrays one after the other, each from a huge page on, as the harness has them.
struct Arrays {
  explicit Arrays(const Loop& loop) {
    const u64 pair_bytes = 4 + loop.value_bytes;
    const u64 values = loop.n * (loop.problem == Problem::multiscan ? pair_bytes : loop.value_bytes);
    const u64 buckets = loop.m * loop.value_bytes, results = loop.n * loop.value_bytes;
    labels = next(4 * loop.n);
    this->values = next(loop.problem == Problem::gather ? buckets : results);
    this->buckets = next(buckets);
    this->results = next(results);
    pairs = next(values);
    for (int turn = 0; turn < 2; ++turn) {
      sorted_labels[turn] = next(4 * loop.n);
      sorted_values[turn] = next(values);
    }
    places = next(u64(8) << loop.digit_bits);
  }
  u64 labels, values, buckets, results, pairs, sorted_labels[2], sorted_values[2], places;

 private:
  u64 next(u64 bytes) {
    constexpr u64 huge_page = u64(1) << 21;
    const u64 here = end_;
    end_ += (bytes / huge_page + 1) * huge_page;
    return here;
  }
  u64 end_ = u64(1) << 32;
};

template <class Clock>
class Simulation {
 public:
  Simulation(const Machine& machine, const Loop& loop, u64 most_steps, Hierarchy& hierarchy, Clock& clock)
      : machine_(machine),
        loop_(loop),
        most_steps_(most_steps),
        hierarchy_(hierarchy),
        clock_(clock),
        labels_(loop),
        arrays_(loop) {}

  std::vector<Phase> run() {
    if (loop_.sort_bits > 0) sort();
    if (loop_.problem != Problem::gather) clear();
    main_loop();
    return std::move(phases_);
  }

 private:
  /// One phase: `step(i)` for each i below `steps`, or for a stretch of them. What repeats itself after
  /// `period` steps is looked at in whole periods, unless these are long: then from within one.
  template <class Step>
  void phase(const char* name, u64 steps, const Step& step, u64 period = 1) {
    u64 counted = most_steps_;
    if (period <= 8 * most_steps_) counted = (counted + period - 1) / period * period;
    u64 i = 0, uncounted = most_steps_;
    if (steps < 2 * (counted + uncounted)) {
      counted = steps;
      uncounted = 0;
    } else {
      i = u64(0.41 * double(steps));  // not where stretches of 1/2^b of them meet
    }
    for (const u64 first = i + uncounted; i < first; ++i) step(i);
    const Counts before = hierarchy_.counts();
    const Time start = clock_.now();
    for (const u64 end = i + counted; i < end; ++i) step(i);
    const double scale = counted ? double(steps) / double(counted) : 0;
    phases_.push_back({name, scale * (clock_.now() - start), (hierarchy_.counts() - before).scaled(scale)});
  }

  /// The first loop of Alg. 2.2 and 2.3, its end above all: what is then in the caches is what the second
  /// loop finds.
  void clear() {
    const u64 bytes = loop_.value_bytes;
    phase("clear", loop_.m, [&](u64 i) {
      clock_.store(Site::buckets, arrays_.buckets + i * bytes, 0);
      clock_.next_input();
    });
    const u64 per_line = std::max<u64>(1, machine_.line_bytes / bytes);
    const u64 left = std::min(loop_.m, 2 * machine_.levels.back().bytes / bytes);
    for (u64 i = (loop_.m - left) / per_line * per_line; i < loop_.m; i += per_line)
      hierarchy_.leave(arrays_.buckets + i * bytes);
  }

  void sort() {
    const bool pairs = loop_.problem == Problem::multiscan;
    const u64 bytes = pairs ? 4 + loop_.value_bytes : loop_.value_bytes;
    u64 labels = arrays_.labels, values = arrays_.values;
    if (pairs) {
      phase("pairs", loop_.n, [&](u64 i) {
        const Time value = clock_.load(Site::values, values + i * loop_.value_bytes, 0);
        clock_.store(Site::results, arrays_.pairs + i * bytes, value);
        clock_.next_input();
      });
      values = arrays_.pairs;
    }
    const int all = std::bit_width(loop_.m - 1),
              passes = (loop_.sort_bits + loop_.digit_bits - 1) / loop_.digit_bits;
    for (int pass = 0; pass < passes; ++pass) {
      const int first = pass * loop_.digit_bits;
      const int bits = std::min(loop_.digit_bits, loop_.sort_bits - first);
      const int shift = all - loop_.sort_bits + first;
      sort_pass(labels, values, arrays_.sorted_labels[pass % 2], arrays_.sorted_values[pass % 2], shift, bits,
                bytes);
      labels = arrays_.sorted_labels[pass % 2];
      values = arrays_.sorted_values[pass % 2];
    }
    arrays_.labels = labels;
    arrays_.values = values;
  }

  /// Counts, and moves (Alg. 2.4). The counters' sum is left out: there are few.
  void sort_pass(u64 labels, u64 values, u64 to_labels, u64 to_values, int shift, int bits, u64 bytes) {
    const u64 digits = u64(1) << bits;
    const auto digit = [&](u64 i) { return labels_.given(i) >> shift & (digits - 1); };
    phase("count", loop_.n, [&](u64 i) {
      const Time label = clock_.load(Site::labels, labels + 4 * i, 0);
      const u64 place = arrays_.places + 8 * digit(i);
      clock_.store(Site::places, place, clock_.load(Site::places, place, label));
      clock_.next_input();
    });
    // From the first step that is simulated on, each digit has its share of what came before.
    std::vector<u64> moved(digits, ~u64(0));
    phase("move", loop_.n, [&](u64 i) {
      const u64 d = digit(i);
      if (moved[d] == ~u64(0)) moved[d] = labels_.digit_start(d, digits) + i / digits;
      const u64 to = std::min(loop_.n - 1, moved[d]++);
      const Time label = clock_.load(Site::labels, labels + 4 * i, 0);
      const u64 counter = arrays_.places + 8 * d;
      const Time place = clock_.load(Site::places, counter, label);
      clock_.store(Site::places, counter, place);
      clock_.store(Site::more_labels, to_labels + 4 * to, std::max(label, place));
      const Time value = clock_.load(Site::values, values + i * bytes, 0);
      clock_.store(Site::more_values, to_values + to * bytes, std::max(value, place));
      clock_.next_input();
    });
  }

  void main_loop() {
    const u64 bytes = loop_.value_bytes;
    const bool sorted = loop_.sort_bits > 0, pairs = sorted && loop_.problem == Problem::multiscan;
    const u64 value_bytes = pairs ? 4 + bytes : bytes;
    Time last_bucket = 0;
    phase(
        "loop", loop_.n,
        [&](u64 i) {
          const typename LabelsOf::Sorted input =
              sorted ? labels_.sorted(i) : typename LabelsOf::Sorted{labels_.given(i), i};
          Time label = clock_.load(Site::labels, arrays_.labels + 4 * i, 0);
          if (loop_.problem == Problem::gather) {
            const Time value = clock_.load(Site::buckets, arrays_.values + input.label * bytes, label);
            clock_.store(Site::results, arrays_.results + i * bytes, value);
            return clock_.next_input();
          }
          const Time value = clock_.load(Site::values, arrays_.values + i * value_bytes, 0);
          const u64 bucket = arrays_.buckets + input.label * bytes;
          if (loop_.problem == Problem::scatter) {
            clock_.store(Site::buckets, bucket, std::max(label, value));
            return clock_.next_input();
          }
          if (loop_.dependent) label = std::max(label, clock_.chained(last_bucket));
          last_bucket = clock_.load(Site::buckets, bucket, label);
          if (loop_.problem == Problem::multiscan)
            clock_.store(Site::results, arrays_.results + input.index * bytes, std::max(last_bucket, value));
          clock_.store(Site::buckets, bucket, std::max(last_bucket, value));
          clock_.next_input();
        },
        sorted ? std::max<u64>(1, loop_.n >> loop_.sort_bits) : 1);
  }

  const Machine& machine_;
  const Loop& loop_;
  u64 most_steps_;
  Hierarchy& hierarchy_;
  Clock& clock_;
  LabelsOf labels_;
  Arrays arrays_;
  std::vector<Phase> phases_;
};

}  // namespace

double Prediction::ns_per_input() const {
  double ns = 0;
  for (const Phase& phase : phases) ns += phase.ns;
  return ns / double(n);
}

Counts Prediction::counts() const {
  Counts sum;
  for (const Phase& phase : phases) sum += phase.counts;
  return sum;
}

Prediction predict(const Machine& machine, Model model, const Loop& loop, u64 most_steps) {
  Hierarchy hierarchy(machine, loop.page_bytes);
  if (model == Model::serial) {
    SerialClock clock(hierarchy);
    return {Simulation(machine, loop, most_steps, hierarchy, clock).run(), loop.n};
  }
  OverlappedClock clock(hierarchy, machine);
  return {Simulation(machine, loop, most_steps, hierarchy, clock).run(), loop.n};
}

u64 page_bytes_of(const Machine& machine, bool huge) {
  if (machine.translations.empty()) return 0;
  return (huge ? machine.translations.back() : machine.translations.front()).page_bytes;
}

}  // namespace redbench::caches
