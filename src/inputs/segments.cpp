#include "src/inputs/segments.hpp"

#include <fmt/format.h>
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

namespace redbench {
namespace {

constexpr std::string_view forms =
    "`one`, `fixed:K`, `uniform:A..B`, `geometric:MEAN`, `zipf:S` (S > 1), each also with `+empty`, "
    "{\"file\": \"offsets.npy\"} or {\"owners\": \"owners.npy\"}";

/// A distribution of sizes, read from its text.
struct Sizes {
  enum class Kind : std::uint8_t { one, fixed, uniform, geometric, zipf } kind = Kind::one;
  double a = 0, b = 0;
  bool empty_between = false;
};

bool whole(double x) { return x >= 0 && x <= 0x1p40 && x == std::floor(x); }

std::optional<Sizes> parse(std::string_view text) {
  static const RE2 with_number(R"((fixed|geometric|zipf):([0-9.][0-9.e+-]*))"),
      with_two(R"(uniform:([0-9.][0-9.e+-]*)\.\.([0-9.][0-9.e+-]*))");
  Sizes sizes;
  constexpr std::string_view suffix = "+empty";
  if (text.ends_with(suffix)) {
    sizes.empty_between = true;
    text.remove_suffix(suffix.size());
  }
  if (text == "one") return sizes;
  std::string name;
  double &a = sizes.a, &b = sizes.b;
  if (RE2::FullMatch(text, with_two, &a, &b)) {
    if (!whole(a) || !whole(b) || a > b || b < 1) return {};
    sizes.kind = Sizes::Kind::uniform;
    return sizes;
  }
  if (!RE2::FullMatch(text, with_number, &name, &a)) return {};
  if (name == "fixed" && whole(a) && a >= 1) sizes.kind = Sizes::Kind::fixed;
  else if (name == "geometric" && a > 0) sizes.kind = Sizes::Kind::geometric;
  else if (name == "zipf" && a > 1) sizes.kind = Sizes::Kind::zipf;
  else return {};
  return sizes;
}

/// Size number i of a distribution, by inversion of the distribution function.
Index draw(const Sizes& sizes, const Words& words, Index i) {
  const std::uint64_t word = words[std::uint64_t(i)];
  const double unit = double((word >> 11) + 1) * 0x1p-53;  // in (0, 1]
  switch (sizes.kind) {
    case Sizes::Kind::one:
      return Index(1) << 62;
    case Sizes::Kind::fixed:
      return Index(sizes.a);
    case Sizes::Kind::uniform:
      return Index(sizes.a) + Index(word % std::uint64_t(sizes.b - sizes.a + 1));
    case Sizes::Kind::geometric:
      return Index(std::floor(std::log(unit) / std::log(sizes.a / (1 + sizes.a))));
    case Sizes::Kind::zipf:
      return Index(std::min(0x1p40, std::floor(std::pow(unit, -1 / (sizes.a - 1)))));
  }
  return 1;
}

/// The mean size, or less.
double mean_of(const Sizes& sizes) {
  double mean = 1;  // of a zipf the least
  if (sizes.kind == Sizes::Kind::one) mean = 0x1p62;
  if (sizes.kind == Sizes::Kind::fixed || sizes.kind == Sizes::Kind::geometric) mean = sizes.a;
  if (sizes.kind == Sizes::Kind::uniform) mean = (sizes.a + sizes.b) / 2;
  return sizes.empty_between ? mean / 2 : mean;
}

/// Calls visit(size) for each segment of n values, in order.
template <class Visit>
void each_size(const Sizes& sizes, Index n, std::uint64_t seed, const Visit& visit) {
  const Words words(seed);
  Index end = 0;
  for (Index i = 0; end < n; ++i) {
    const Index size = std::min(draw(sizes, words, i), n - end);
    end += size;
    visit(size);
    if (sizes.empty_between) visit(Index(0));
  }
  if (n == 0) visit(Index(0));  // one empty segment
}

/// Sizes are drawn one after the other, in tens of nanoseconds each, so that nobody would wait for more than
/// this.
constexpr double most_drawn = 0x1p31;

/// A seed of its own, so that sizes and values are independent.
constexpr std::uint64_t segment_seed = 0x5e65;

/// The whole numbers of a file, as 64 bits.
std::vector<Index> whole_numbers(const std::string& path, std::string_view what) {
  const ArrayFile file = open_npy(path);
  const TypeFacts& facts = file.facts();
  if (!facts.whole || facts.bytes < sizeof(u32))
    throw UsageError(
        fmt::format("{} holds {}, {} are i32, u32 or i64 in one dimension", path, facts.name, what));
  const HostBuffer buffer = read_array(file, file.rows());
  std::vector<Index> numbers(std::size_t(file.rows()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = facts.whole(buffer.data.get(), i);
  return numbers;
}

/// Throws UsageError that names the first number that is less than the one before it.
void check_order(const std::vector<Index>& numbers, const std::string& path, std::string_view what) {
  const auto bad = std::is_sorted_until(numbers.begin(), numbers.end());
  if (bad != numbers.end())
    throw UsageError(fmt::format("{}: {} {} is {}, less than the one before it ({})", path, what,
                                 bad - numbers.begin(), *bad, *(bad - 1)));
}

std::vector<Index> read_offsets(const std::string& path) {
  std::vector<Index> offsets = whole_numbers(path, "offsets");
  if (offsets.size() < 2)
    throw UsageError(fmt::format("{}: offsets of m segments are m + 1 numbers, m >= 1", path));
  if (offsets[0] != 0) throw UsageError(fmt::format("{}: the first offset is {}, not 0", path, offsets[0]));
  check_order(offsets, path, "offset");
  return offsets;
}

/// Owners are kept in 32 bits, and the largest is the number of segments less one.
std::vector<Index> read_owners(const std::string& path) {
  std::vector<Index> owners = whole_numbers(path, "owners");
  if (owners.empty()) throw UsageError(fmt::format("{}: no owner, so no segment", path));
  check_order(owners, path, "owner");
  constexpr Index most = (Index(1) << 32) - 2;
  if (owners.front() < 0 || owners.back() > most)
    throw UsageError(fmt::format("{}: owners lie between 0 and {}, found {}", path, most,
                                 owners.front() < 0 ? owners.front() : owners.back()));
  return owners;
}

std::vector<Index> offsets_of(const std::vector<Index>& owners) {
  std::vector<Index> offsets(std::size_t(owners.back()) + 2, 0);
  for (const Index owner : owners) ++offsets[std::size_t(owner) + 1];
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  return offsets;
}

/// The offsets or owners of a file. Throws UsageError where they are not for n values.
std::vector<Index> read_file(const Json& value, Index n) {
  const std::string& path = value.front().get_ref<const std::string&>();
  const bool owners = value.contains("owners");
  std::vector<Index> numbers = owners ? read_owners(path) : read_offsets(path);
  const Index cut = owners ? Index(numbers.size()) : numbers.back();
  if (cut != n) throw UsageError(fmt::format("{} cuts {} values into segments, but n is {}", path, cut, n));
  return numbers;
}

void check_axis(const Json& value) {
  if (names_file(value)) read_offsets(value["file"]);
  else if (names_file(value, "owners")) read_owners(value["owners"]);
  else if (!value.is_string() || !parse(value.get_ref<const std::string&>()))
    throw UsageError(fmt::format("no distribution of segments {}: allowed are {}", value.dump(), forms));
}

/// Segments for kernels that cut the input into tiles (of 64, in the examples) and pass the unfinished last
/// segment of each to the next.
std::vector<Json> battery_of(Index tile) {
  std::vector<Json> all{
      // One segment goes through all tiles: each must pass on what it got together with its own.
      "one",
      // A result for each value. Every tile ends with a segment, so nothing may be passed on.
      "fixed:1",
      // 64 = 21 x 3 + 1: tiles end within a segment, after its first, second or third value.
      "fixed:3",
      // 0 0 0 . 2 2 2 . 4: an empty segment after each, whose result no value touches. The last is empty.
      "fixed:3+empty",
      // Empty segments in a row and at the start, among some of up to 6 values: the next owner is not always
      // one more.
      "uniform:0..6",
      // Some within a tile, some over many: what is passed on may be a part, a tile or nothing.
      "uniform:1..3000",
      // Two of three are empty, often many in a row: a segment's start must be searched for, not counted up
      // to.
      "geometric:0.5",
      // Most have one to three values, and a few fill tiles: work divided by segments is not divided evenly.
      "zipf:1.5"};
  // A segment ends with a tile (64): one that starts with the next tile is not a continuation. Or it ends one
  // value off (63, 65): after 64 such segments a segment has started at every place of a tile.
  for (const Index size : {tile - 1, tile, tile + 1})
    if (size > 3) all.push_back(fmt::format("fixed:{}", size));
  return all;
}

}  // namespace

ProblemAxis segments_axis() {
  return {"segments", fmt::format("how the input is cut: {}", forms), {}, "uniform:10..50", check_axis,
          battery_of};
}

std::vector<Index> segment_offsets(const Json& segments, Index n, std::uint64_t seed) {
  if (segments.is_string()) {
    std::vector<Index> offsets{0};
    each_size(*parse(segments.get_ref<const std::string&>()), n, seed ^ segment_seed,
              [&](Index size) { offsets.push_back(offsets.back() + size); });
    return offsets;
  }
  std::vector<Index> numbers = read_file(segments, n);
  return segments.contains("owners") ? offsets_of(numbers) : numbers;
}

SegmentFacts segment_facts(const Json& segments, Index n, std::uint64_t seed) {
  static std::map<std::string, SegmentFacts> known;
  static std::mutex guard;
  const std::string key = fmt::format("{} {} {}", segments.dump(), n, seed);
  const std::lock_guard lock(guard);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  SegmentFacts facts;
  const auto add = [&](Index size) {
    ++facts.count;
    facts.longest = std::max(facts.longest, size);
  };
  if (segments.is_string()) {
    const std::string& text = segments.get_ref<const std::string&>();
    const Sizes sizes = *parse(text);
    if (const double expected = double(n) / mean_of(sizes); expected > most_drawn)
      throw UsageError(fmt::format("segments={} cuts {} values into some {:.2g} segments; the most is 2^31",
                                   text, n, expected));
    each_size(sizes, n, seed ^ segment_seed, add);
  } else if (segments.contains("owners")) {
    // Two owners may be far apart: the segments are counted without a list of them.
    const std::vector<Index> owners = read_file(segments, n);
    for (auto first = owners.begin(); first != owners.end();) {
      const auto end = std::upper_bound(first, owners.end(), *first);
      add(end - first);
      first = end;
    }
    facts.count = owners.back() + 1;
  } else {
    const std::vector<Index> offsets = segment_offsets(segments, n, seed);
    for (std::size_t i = 1; i < offsets.size(); ++i) add(offsets[i] - offsets[i - 1]);
  }
  return known[key] = facts;
}

}  // namespace redbench
