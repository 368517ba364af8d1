#include "src/cachesim/loop.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/cachesim/clock.hpp"
#include "src/inputs/words.hpp"

namespace redbench::cachesim {
namespace {

using u64 = std::uint64_t;

u64 share_of(u64 whole, u64 numerator, u64 denominator) {
  return u64((unsigned __int128)(whole)*numerator / denominator);
}

/// The labels in input order, and after a sort by their top bits. Each is a function of its position, so that
/// a simulation can begin anywhere; of random labels every bucket has its exact share of each stretch.
class Labels {
 public:
  explicit Labels(const Loop& loop) : loop_(loop), shift_(std::bit_width(loop.m - 1) - loop.sort_bits) {}

  u64 given(u64 i) const {
    switch (loop_.labels) {
      case LabelDistribution::degenerate:
        return 0;
      case LabelDistribution::sequential:
        return i % loop_.m;
      case LabelDistribution::sorted:
        return share_of(i, loop_.m, loop_.n);
      case LabelDistribution::uniform:
        break;
    }
    return below(i, loop_.m);
  }

  /// The position at which a sort puts the first input of a digit. Starts at equal distances would all fall
  /// into one set of a cache: those of random labels deviate by as much as a binomial distribution does.
  u64 digit_start(u64 digit, u64 digits) const {
    const u64 start = share_of(loop_.n, digit, digits);
    if (loop_.labels != LabelDistribution::uniform) return start;
    const double share = double(digit) / double(digits);
    const double off = double(words_[digit] >> 11) * 0x1p-52 - 1;  // uniform from -1 to 1: variance 1/3
    return u64(std::max(0.0, double(start) + off * std::sqrt(3 * double(loop_.n) * share * (1 - share))));
  }

  /// The label and the original index of the input at a position after the sort.
  struct Sorted {
    u64 label, index;
  };
  Sorted sorted(u64 position) const {
    const LabelDistribution kind = loop_.labels;
    if (kind == LabelDistribution::sorted || kind == LabelDistribution::degenerate ||
        (kind == LabelDistribution::sequential && loop_.m >= loop_.n))
      return {given(position), position};
    const u64 first = share_of(position, loop_.m, loop_.n) >> shift_ << shift_;
    const u64 width = std::min(u64(1) << shift_, loop_.m - first);
    const u64 within = position - std::min(position, share_of(loop_.n, first, loop_.m));
    if (kind == LabelDistribution::sequential) {
      const u64 label = first + within % width;
      return {label, std::min(loop_.n - 1, within / width * loop_.m + label)};
    }
    return {first + below(position, width), std::min(loop_.n - 1, share_of(within, loop_.m, width))};
  }

 private:
  u64 below(u64 i, u64 limit) const { return share_of(limit, words_[i] >> 1, u64(1) << 63); }

  const Loop& loop_;
  int shift_;
  Words words_{1};
};

/// Addresses of the arrays: one after the other, each at the start of a huge page, as the harness allocates
/// them.
struct Arrays {
  explicit Arrays(const Loop& loop) {
    const u64 pair_bytes = 4 + loop.value_bytes;
    const u64 values = loop.n * (loop.problem == LoopProblem::multiscan ? pair_bytes : loop.value_bytes);
    const u64 buckets = loop.m * loop.value_bytes, results = loop.n * loop.value_bytes;
    labels = next(4 * loop.n);
    this->values = next(loop.problem == LoopProblem::gather ? buckets : results);
    this->buckets = next(buckets);
    this->results = next(results);
    pairs = next(values);
    for (int turn = 0; turn < 2; ++turn) {
      sorted_labels[turn] = next(4 * loop.n);
      sorted_values[turn] = next(values);
    }
    counters = next(u64(8) << loop.digit_bits);
  }
  u64 labels, values, buckets, results, pairs, sorted_labels[2], sorted_values[2], counters;

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
    if (loop_.problem != LoopProblem::gather) clear();
    main_loop();
    return std::move(phases_);
  }

 private:
  /// Simulates one phase: `step(i)` for each i below `steps`, or for a sample of them. A sample of a phase
  /// that repeats itself after `period` steps is whole periods, unless these are long: then a part of one.
  template <class Step>
  void phase(const char* name, u64 steps, const Step& step, u64 period = 1) {
    u64 counted = most_steps_;
    if (period <= 8 * most_steps_) counted = (counted + period - 1) / period * period;
    u64 i = 0, warm_up = most_steps_;
    if (steps < 2 * (counted + warm_up)) {
      counted = steps;
      warm_up = 0;
    } else {
      i = u64(0.41 * double(steps));  // away from the borders between sorted stretches, at multiples of 1/2^b
    }
    for (const u64 first = i + warm_up; i < first; ++i) step(i);
    const Counts before = hierarchy_.counts();
    const Time start = clock_.now();
    for (const u64 end = i + counted; i < end; ++i) step(i);
    const double scale = counted ? double(steps) / double(counted) : 0;
    const Counts difference = Counts(hierarchy_.counts()).add(before, -1);
    phases_.push_back({name, scale * (clock_.now() - start), Counts().add(difference, scale)});
  }

  /// The first loop of Alg. 2.2 and 2.3. Its end is always stored to, as what it leaves in the caches is what
  /// the second loop finds.
  void clear() {
    const u64 bytes = loop_.value_bytes;
    phase("clear", loop_.m, [&](u64 i) {
      clock_.store(Site::buckets, arrays_.buckets + i * bytes, 0);
      clock_.next_input();
    });
    const u64 per_line = std::max<u64>(1, machine_.line_bytes / bytes);
    const u64 left = std::min(loop_.m, 2 * machine_.levels.back().bytes / bytes);
    for (u64 i = (loop_.m - left) / per_line * per_line; i < loop_.m; i += per_line)
      hierarchy_.store_uncounted(arrays_.buckets + i * bytes);
  }

  void sort() {
    const bool pairs = loop_.problem == LoopProblem::multiscan;
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

  /// One pass of the radix sort (Alg. 2.4): counting, then moving. The prefix sum of the few counters is left
  /// out.
  void sort_pass(u64 labels, u64 values, u64 to_labels, u64 to_values, int shift, int bits, u64 bytes) {
    const u64 digits = u64(1) << bits;
    const auto digit = [&](u64 i) { return labels_.given(i) >> shift & (digits - 1); };
    phase("count", loop_.n, [&](u64 i) {
      const Time label = clock_.load(Site::labels, labels + 4 * i, 0);
      const u64 counter = arrays_.counters + 8 * digit(i);
      clock_.store(Site::counters, counter, clock_.load(Site::counters, counter, label));
      clock_.next_input();
    });
    // Where each digit's next input goes; when the simulation begins, each has had its share of the inputs
    // before.
    std::vector<u64> moved(digits, ~u64(0));
    phase("move", loop_.n, [&](u64 i) {
      const u64 d = digit(i);
      if (moved[d] == ~u64(0)) moved[d] = labels_.digit_start(d, digits) + i / digits;
      const u64 to = std::min(loop_.n - 1, moved[d]++);
      const Time label = clock_.load(Site::labels, labels + 4 * i, 0);
      const u64 counter = arrays_.counters + 8 * d;
      const Time place = clock_.load(Site::counters, counter, label);
      clock_.store(Site::counters, counter, place);
      clock_.store(Site::sorted_labels, to_labels + 4 * to, std::max(label, place));
      const Time value = clock_.load(Site::values, values + i * bytes, 0);
      clock_.store(Site::sorted_values, to_values + to * bytes, std::max(value, place));
      clock_.next_input();
    });
  }

  void main_loop() {
    const u64 bytes = loop_.value_bytes;
    const bool sorted = loop_.sort_bits > 0, pairs = sorted && loop_.problem == LoopProblem::multiscan;
    const u64 value_bytes = pairs ? 4 + bytes : bytes;
    Time last_bucket = 0;
    phase(
        "loop", loop_.n,
        [&](u64 i) {
          const typename Labels::Sorted input =
              sorted ? labels_.sorted(i) : typename Labels::Sorted{labels_.given(i), i};
          Time label = clock_.load(Site::labels, arrays_.labels + 4 * i, 0);
          if (loop_.problem == LoopProblem::gather) {
            const Time value = clock_.load(Site::buckets, arrays_.values + input.label * bytes, label);
            clock_.store(Site::results, arrays_.results + i * bytes, value);
            return clock_.next_input();
          }
          const Time value = clock_.load(Site::values, arrays_.values + i * value_bytes, 0);
          const u64 bucket = arrays_.buckets + input.label * bytes;
          if (loop_.problem == LoopProblem::scatter) {
            clock_.store(Site::buckets, bucket, std::max(label, value));
            return clock_.next_input();
          }
          if (loop_.dependent) label = std::max(label, clock_.chained(last_bucket));
          last_bucket = clock_.load(Site::buckets, bucket, label);
          if (loop_.problem == LoopProblem::multiscan)
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
  Labels labels_;
  Arrays arrays_;
  std::vector<Phase> phases_;
};

}  // namespace

double SimulatedLoop::ns_per_input() const {
  double ns = 0;
  for (const Phase& phase : phases) ns += phase.ns;
  return ns / double(n);
}

Counts SimulatedLoop::counts() const {
  Counts sum;
  for (const Phase& phase : phases) sum.add(phase.counts);
  return sum;
}

SimulatedLoop simulate(const Machine& machine, Timing timing, const Loop& loop, u64 most_steps) {
  Hierarchy hierarchy(machine, loop.page_bytes);
  if (timing == Timing::serial) {
    SerialClock clock(hierarchy);
    return {Simulation(machine, loop, most_steps, hierarchy, clock).run(), loop.n};
  }
  OverlappedClock clock(hierarchy, machine);
  return {Simulation(machine, loop, most_steps, hierarchy, clock).run(), loop.n};
}

}  // namespace redbench::cachesim
