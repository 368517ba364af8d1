#include "src/inputs/labels.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

#include "src/error.hpp"
#include "src/inputs/input_file.hpp"
#include "src/inputs/npy.hpp"
#include "src/inputs/words.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

enum class Kind : std::uint8_t { uniform, degenerate, sequential, sorted, reversed, missing, zipf, runs };
/// The last two are followed by a number: zipf:1.5.
constexpr std::array<std::string_view, 8> kind_names{"uniform",  "degenerate", "sequential", "sorted",
                                                     "reversed", "missing",    "zipf",       "runs"};

struct Distribution {
  Kind kind = Kind::uniform;
  double number = 0;  // of zipf its exponent, of runs their mean length
};

std::optional<Distribution> parse(const std::string& text) {
  static const RE2 with_number(R"((zipf|runs):([0-9.][0-9.e+-]*))");
  std::string name = text;
  double number = 0;
  const bool has_number = RE2::FullMatch(text, with_number, &name, &number);
  const auto found = std::ranges::find(kind_names, name);
  if (found == kind_names.end()) return {};
  const Kind kind = Kind(found - kind_names.begin());
  if (has_number != (kind == Kind::zipf || kind == Kind::runs)) return {};
  if (has_number && (number <= 0 || (kind == Kind::runs && number < 1))) return {};
  return Distribution{kind, number};
}

/// Zipf's distribution without a table of its probabilities: ranks 1 to `most`, rank k with a probability
/// like k^-exponent, exponent > 0. By rejection-inversion (Hörmann and Derflinger 1996, "Rejection-inversion
/// to generate variates from monotone discrete distributions"): x is drawn with the density x^-exponent,
/// whose integral H has an inverse, rounded to k, and taken with the probability that makes up for the curve
/// between k - 1/2 and k + 1/2. A draw with k - x <= sure_ needs no test.
class Zipf {
 public:
  Zipf(double exponent, std::int64_t most)
      : exponent_(exponent),
        most_(most),
        low_(integral(1.5) - 1),
        high_(integral(double(most) + 0.5)),
        sure_(2 - inverse(integral(2.5) - density(2))) {}

  /// Draw number i, below 2^40.
  std::int64_t operator()(const Words& words, std::int64_t i) const {
    for (std::uint64_t attempt = 0;; ++attempt) {
      const std::uint64_t word = words[attempt << 40 | std::uint64_t(i)];
      const double area = high_ + double(word >> 11) * 0x1p-53 * (low_ - high_);
      const double x = inverse(area);
      const double k = std::clamp(std::floor(x + 0.5), 1.0, double(most_));
      if (k - x <= sure_ || area >= integral(k + 0.5) - density(k)) return std::int64_t(k);
    }
  }

 private:
  double density(double x) const { return std::exp(-exponent_ * std::log(x)); }

  /// H(x) = (x^(1 - s) - 1) / (1 - s), and log x where s = 1: (e^t - 1) / t log x with t = (1 - s) log x.
  double integral(double x) const {
    const double log_x = std::log(x), t = (1 - exponent_) * log_x;
    return (std::abs(t) > 1e-8 ? std::expm1(t) / t : 1 + t / 2) * log_x;
  }

  double inverse(double area) const {
    const double t = std::max(-1.0, area * (1 - exponent_));
    return std::exp((std::abs(t) > 1e-8 ? std::log1p(t) / t : 1 - t / 2) * area);
  }

  double exponent_;
  std::int64_t most_;
  double low_, high_, sure_;
};

/// A number below m from a word, to within 2^-32 of the same probability each.
Index below(std::uint64_t word, Index m) { return Index((unsigned __int128)(word)*std::uint64_t(m) >> 64); }

/// out[i] = label(first + i).
template <class T, class Label>
void put_each(T* out, const Part& part, const Label& label) {
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < part.count; ++i) out[i] = T(label(part.first + i));
}

/// floor((i + u) m / n) with u in [0, 1): one draw from each of n equal parts, so never decreasing. The
/// product may round up to m.
Index stratified(const Words& words, Index i, Index n, Index m) {
  const double unit = double(words[std::uint64_t(i)] >> 40) * 0x1p-24;
  return std::min(m - 1, Index((double(i) + unit) * (double(m) / double(n))));
}

/// A run starts at i with a probability of 1 / mean. Each thread has one part of the input, and first looks
/// back for the start of the run that reaches into its part.
template <class T>
void put_runs(T* out, const Part& part, Index m, double mean, std::uint64_t seed) {
  const Words starts(seed), labels(~seed);
  const auto most = mean > 1 ? std::uint64_t(0x1p64 / mean) : ~std::uint64_t(0);
  const auto starts_at = [&](Index i) { return i == 0 || starts[std::uint64_t(i)] <= most; };
#pragma omp parallel
  {
    const Index thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const Index begin = part.first + part.count * thread / threads;
    const Index end = part.first + part.count * (thread + 1) / threads;
    Index start = begin;
    while (!starts_at(start)) --start;
    for (Index i = begin; i < end; ++i) {
      if (starts_at(i)) start = i;
      out[i - part.first] = T(below(labels[std::uint64_t(start)], m));
    }
  }
}

template <class T>
void generate(T* out, const Distribution& distribution, const Part& part, Index n, Index m,
              std::uint64_t seed) {
  const Words words(seed);
  switch (distribution.kind) {
    case Kind::uniform:
      return put_each(out, part, [&](Index i) { return below(words[std::uint64_t(i)], m); });
    case Kind::degenerate:
      return put_each(out, part, [](Index) { return 0; });
    case Kind::sequential:
      return put_each(out, part, [&](Index i) { return i % m; });
    case Kind::sorted:
      return put_each(out, part, [&](Index i) { return stratified(words, i, n, m); });
    case Kind::reversed:
      return put_each(out, part, [&](Index i) { return stratified(words, n - 1 - i, n, m); });
    case Kind::missing:
      return put_each(out, part, [&](Index i) {
        const Index label = below(words[std::uint64_t(i)], m - 1);
        return label + (label >= m / 2);
      });
    case Kind::zipf: {
      const Zipf zipf(distribution.number, m);
      return put_each(out, part, [&](Index i) { return zipf(words, i) - 1; });
    }
    case Kind::runs:
      return put_runs(out, part, m, distribution.number, seed);
  }
}

std::string labels_file(const Json& value) { return value.front().get<std::string>(); }

bool repeats(const Json& value) { return names_file(value, "repeat"); }

/// Reads the header. Throws UsageError where the file holds no whole numbers.
ArrayFile open_labels(const std::string& path) {
  if (path.ends_with(".pgm")) return open_pgm(path);
  const ArrayFile file = open_npy(path);
  if (!file.facts().whole)
    throw UsageError(
        fmt::format("{} holds {}, labels are u8, u32, i32 or i64 in one dimension", path, file.facts().name));
  return file;
}

ArrayFile fitting_file(const InputSpec& input) {
  const Json& value = input.axes.at("labels");
  const ArrayFile file = open_labels(labels_file(value));
  if (input.n > file.rows() && (!repeats(value) || file.rows() == 0))
    throw UsageError(fmt::format("{} holds {} labels, n asks for {}", file.path, file.rows(), input.n));
  return file;
}

/// The first n labels of a file, or all where it has fewer. Throws UsageError that names the first which is not below m.
HostBuffer read_labels(const ArrayFile& file, Index n, Index m) {
  n = std::min(n, file.rows());
  HostBuffer labels = read_array(file, n);
  const auto label = [&labels, whole = file.facts().whole](Index i) {
    return whole(labels.data.get(), std::size_t(i));
  };
  Index first = n;
#pragma omp parallel for reduction(min : first)
  for (Index i = 0; i < n; ++i)
    if (label(i) < 0 || label(i) >= m) first = std::min(first, i);
  if (first < n)
    throw UsageError(fmt::format("{}: label {} is {}, not between 0 and {} (m is {})", file.path, first,
                                 label(first), m - 1, m));
  return labels;
}

/// Throws UsageError where a label of the file is not below m. The least m that was large enough is
/// remembered, as a plan asks for each m of a sweep.
void check_file(const ArrayFile& file, Index n, Index m) {
  static std::map<std::string, Index> enough;  // file and n -> an m that was large enough
  static std::mutex guard;
  const std::string key = fmt::format("{} {}", n, file.path);
  const std::lock_guard lock(guard);
  const auto known = enough.find(key);
  if (known != enough.end() && known->second <= m) return;
  read_labels(file, n, m);
  enough[key] = m;
}

template <class T>
HostBuffer from_file(const ArrayFile& file, const Part& part, Index n, Index m) {
  const HostBuffer from = read_labels(file, n, m);
  HostBuffer labels(std::size_t(part.count) * sizeof(T));
  const auto whole = file.facts().whole;
  put_each(labels.as<T>(), part,
           [&](Index i) { return whole(from.data.get(), std::size_t(i % file.rows())); });
  return labels;
}

template <class T>
HostBuffer labels_of(const InputSpec& input) {
  const Json& value = input.axes.at("labels");
  const Index m = label_count(input);
  const Part part = input.part.value_or(Part{0, input.n});
  if (value.is_object()) return from_file<T>(fitting_file(input), part, input.n, m);
  HostBuffer buffer(std::size_t(part.count) * sizeof(T));
  // A seed of its own, so that labels and values are independent.
  generate(buffer.as<T>(), *parse(value.get_ref<const std::string&>()), part, input.n, m,
           input.seed ^ 0x1abe1);
  return buffer;
}

constexpr std::string_view forms =
    "`uniform`, `degenerate`, `sequential`, `sorted`, `reversed`, `missing`, `zipf:S` (S > 0), "
    "`runs:L` (L >= 1), {\"file\": \"labels.npy\"}, where an image (image.pgm) has its pixels as labels, or "
    "{\"repeat\": \"image.pgm\"}, the same again and again to n";

void check_axis(const Json& value) {
  if (names_file(value) || repeats(value)) {
    open_labels(labels_file(value));
    return;
  }
  if (value.is_string() && parse(value.get_ref<const std::string&>())) return;
  const std::string text = value.is_string() ? value.get<std::string>() : std::string();
  throw UsageError(
      fmt::format("no distribution of labels {}: allowed are {}{}", value.dump(), forms,
                  nearest_match(text.substr(0, text.find(':')), {kind_names.begin(), kind_names.end()})));
}

constexpr Index most_labels = Index(1) << 32;

void check_count(const Json& m) {
  if (m.get<Index>() < 1 || m.get<Index>() > most_labels)
    throw UsageError(fmt::format("m is {}: labels lie below m, which is 1 to 2^32", m.dump()));
}

/// Besides `uniform`, which is the default.
std::vector<Json> labels_battery(Index) {
  return {
      // One bucket for all: each update of a warp meets the 31 others there, so one that is not atomic is
      // lost, and a counter of 8 bits is full after 255. All other buckets must be cleared though nothing
      // updates them.
      "degenerate",
      // 0 1 2 ... m-1 0 1 2: in a warp no two are equal (m > 31), between warps all are. Equal neighbours,
      // which some kernels combine, never occur.
      "sequential",
      // 0 0 0 1 | 1 1 2 2: a label's inputs lie next to each other, on both sides of a tile's border.
      "sorted",
      // 3 3 2 2 | 1 1 0 0: the first tile has the last labels, so results that are stored by label and then
      // by tile come in another order than the input.
      "reversed",
      // A sixth of all inputs have one of 256 labels, most labels have few: wrong where space or work is
      // divided evenly among labels.
      "zipf:1",
      // Runs longer than a warp, and ends of runs within one: some warps see one label, others two.
      "runs:40",
      // One label in the middle does not occur: in a list of those that do, the number of each later label is
      // not its place.
      "missing"};
}

/// Besides 256, which is the default. The last exceeds the inputs of most shapes (1009 and fewer): m > n.
/// Larger ones would only cost time, as a variant may have thousands of sets of m buckets.
std::vector<Json> m_battery(Index tile) {
  std::vector<Json> all{1,            // log2 m = 0: no bits to sort by, a shift by 32
                        2,            // one bit
                        3,            // no power of two: log2 rounded down drops label 2
                        31,  32, 33,  // around one bucket for each lane or bank
                        255, 257};    // around the values of a byte, or a block of 256 threads
  // Around the inputs of a block, where each may have a bucket of its own.
  for (const Index m : {tile - 1, tile, tile + 1})
    if (m > 257 && m < 1023) all.push_back(m);
  for (const Index m : {1023, 1024}) all.push_back(m);  // around the threads of the largest block
  all.push_back(1031);
  return all;
}

}  // namespace

ProblemAxis labels_axis() {
  return {.name = "labels",
          .what = fmt::format("the label of each input: {}", forms),
          .allowed = {},
          .fallback = "uniform",
          .check = check_axis,
          .battery = labels_battery,
          .inputs = [](const Json& file) { return open_labels(labels_file(file)).rows(); }};
}

ProblemAxis m_axis() {
  return {.name = "m",
          .what = "how many labels there are: all lie below m",
          .allowed = {},
          .fallback = 256,
          .check = check_count,
          .battery = m_battery,
          .sizes = true};
}

Index label_count(const InputSpec& input) { return input.axes.at("m").get<Index>(); }

void check_labels(const InputSpec& input, Type type) {
  const Index m = label_count(input);
  if (type == Type::u8 && m > 256)
    throw Refusal(fmt::format("labels of type u8 are at most 256 different ones, m is {}", m));
  const Json& value = input.axes.at("labels");
  if (value.is_object()) check_file(fitting_file(input), input.n, m);
  else if (value == "missing" && m < 2 && input.n > 0)
    throw Refusal("labels=missing leaves a label out: m is 1, so none would be left");
}

HostBuffer make_labels(const InputSpec& input, Type type) {
  return type == Type::u8 ? labels_of<u8>(input) : labels_of<u32>(input);
}

}  // namespace redbench
