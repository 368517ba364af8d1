// The probe on processors that tell what a test has written down, and the memory that it takes for each time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/probe/probe_support.hpp"
#include "tests/probe/told_processor.hpp"
#include "tests/probe/told_support.hpp"
#include "tests/probe/touched_pages.hpp"

namespace redbench {
namespace {

/// The sizes of all memory of Chase and scatter_ns, in its unit of 2 MiB: "8 8".
std::string paged_memory(const Mappings& before) {
  constexpr std::size_t unit = 2 << 20;
  std::string text;
  for (const auto& [start, end] : since(before))
    if (start % unit == 0 && (end - start) % unit == 0)
      text += fmt::format("{}{}", text.empty() ? "" : " ", (end - start) / unit);
  return text;
}

class ProbeOfProcessors : public testing::Test {
 protected:
  /// And the memory that each of the times was taken in.
  Json told(const Cpuid& cpuid, const std::vector<Timed>& times, std::size_t largest_pool) {
    const Mappings before = writable_mappings();
    std::vector<std::string> memory;
    Json told = told_of(times, largest_pool, teller_of(cpuid, folder_.path()), [&](std::size_t asked) {
      if (asked % 4 == 0) memory.push_back(paged_memory(before));
    });
    told["memory"] = memory;
    return told;
  }

  TemporaryFolder folder_;
};

/// Intel's, of ways and sets of the first level and the second.
Cpuid intel_of(unsigned ways, unsigned sets, unsigned more_ways, unsigned more_sets) {
  return intel({{1, ways << 16 | 1, sets, 1 << 5 | 1}, {0, more_ways << 16 | 1, more_sets, 2 << 5 | 3}});
}

Json small_and_huge(std::uint64_t entries, unsigned ways, std::uint64_t more, unsigned more_ways,
                    double second_ns, double walk_ns) {
  return translations_of({{entries, more}, {ways, more_ways}, {}}, second_ns, walk_ns);
}

const std::vector<std::string> always{"huge pages are taken to have 32 entries in the first level of the TLB",
                                      "64 inputs are taken to be under way at a time, and 56 stores"};

// By hand. L1: the pool of half its size; L2: 128 KiB, a quarter of which are in the first level: (8 - 2 / 4)
// / 0.75 = 10. A walk takes 20 - 14 = 6, less than a read of the second level has, and 2 with others. From 16
// MiB on pools double. 64 * 64 entries, and 128 * 80: the mean by ratio is 6476 pages.
TEST_F(ProbeOfProcessors, MeasureEachTimeInAsMuchMemoryAsIsSaid) {
  write_cache(folder_, 1, "32K", "8", "64");
  write_cache(folder_, 2, "16M", "16", "64");
  const std::vector<TimedPool> pools{
      {8, 1.5},   {12, 1.75}, {16, 2},    {24, 2.5},  {32, 3},    {48, 5},     {64, 6},     {96, 7},
      {128, 8},   {192, 9},   {256, 9.5}, {384, 10},  {512, 11},  {768, 12},   {1024, 13},  {1536, 14},
      {2048, 15}, {3072, 16}, {4096, 17}, {6144, 18}, {8192, 19}, {12288, 20}, {16384, 25}, {32768, 90}};
  const std::vector<Timed> times = joined(
      {times_of(pools),
       times_of_pages({{20, 14}, {9, 7}, {6, 5}, {7, 5.5}, {8, 5}, {9, 5}, {8, 6.5}, {9, 5.5}, {8, 5.5}}),
       {{12, 6476}, {8, 6476}},
       {{84, 262144}, {42, 262144}, {20, 262144}, {12, 262144}, {14, 262144}, {16, 262144}},
       {{4, stores_of_scatter}, {2, lines_of_stream}},
       {{1.5, inputs_of_loop}, {2.75, inputs_of_loop}, {5, inputs_of_loop}}});
  const Json found = told(intel_of(64, 64, 128, 80), times, 32 << 20);
  EXPECT_EQ(found["asked"], 4 * times.size());
  EXPECT_EQ(found["latencies"], Json(latencies_of(pools)));
  EXPECT_EQ(found["overlapped"], Json({"1: 84", "2: 42", "4: 20", "8: 12", "16: 14", "32: 16"}));
  Json machine = Json::parse(R"({"title": "", "source": "", "line_bytes": 64, "levels": [
    {"name": "L1", "bytes": 32768, "ways": 8, "ns": 2, "replacement": "tree_plru"},
    {"name": "L2", "bytes": 16777216, "ways": 16, "ns": 10, "replacement": "tree_plru"}],
    "memory_ns": 90, "prefetch": "streams", "scattered_frames": true})");
  machine["translations"] = small_and_huge(4096, 64, 10240, 128, 4.0, 0.0);
  machine["core"] = Json::parse(R"({"input_ns": 1.5, "forward_ns": 2.75, "chain_ns": 3, "misses": 7,
    "store_misses": 21, "window": 64, "stores": 56, "walks": 3, "line_ns": 2})");
  const std::vector<std::string> unsure{
      "the second level of the TLB is told to have 10240 entries; 4096 pages are fast",
      "a page walk (6 ns) seems to take hardly more than a hit in the second level of the TLB (4 ns)",
      always[0], always[1]};
  machine["unsure"] = unsure;
  EXPECT_EQ(found["machine"], machine) << found["machine"].dump(1);
  std::vector<std::string> memory(17, "1");  // up to 2 MiB
  for (const char* const pool : {"2", "2", "3", "4", "6", "8", "16"}) memory.emplace_back(pool);
  // 128 MiB of pages, and 512 to 4096 of them; then 6476.
  for (const char* const pages : {"64", "64", "1", "2", "2", "3", "4", "6", "8", "13"})
    memory.insert(memory.end(), 2, pages);
  memory.insert(memory.end(), 6, "8");  // walks go through half of the largest pool, and stores into as much
  memory.emplace_back("8 8");
  memory.emplace_back("8");
  memory.insert(memory.end(), 3, "");  // loops have a few vectors
  EXPECT_EQ(found["memory"], Json(memory));
  std::vector<std::string> lines{"L1: 32 KiB, 8 ways, 2 ns",
                                 "L2: 16 MiB, 16 ways, 10 ns",
                                 "memory: 90 ns; 7 loads and 21 stores at a time, 2 ns for a line in order",
                                 "DTLB: 4096 entries for pages of 4 kB, 64 ways, 0 ns",
                                 "STLB: 10240 entries for pages of 4 kB, 128 ways, 4 ns",
                                 "page walk: 0 ns and what it reads, 3 at a time"};
  for (const std::string& sentence : unsure) lines.push_back("unsure: " + sentence);
  EXPECT_EQ(found["described"], Json(lines));
}

struct OfPages {
  const char* name;
  Cpuid cpuid;
  std::vector<std::pair<double, double>> pages;  // as of times_of_pages
  Json translations;
  unsigned walks;
  std::vector<std::string> unsure;  // besides what is said of all
};

// A walk takes 50 - 10 = 40; pages whose translation adds 20 are not fast, those that it adds 19 are. The
// only level is read in 2, and told to have less than a set of it.
TEST_F(ProbeOfProcessors, HoldWhatTheyTellAgainstThePagesThatAreFast) {
  write_cache(folder_, 1, "512", "16", "64");
  const auto pages = [](double with_others, std::size_t fast, double second) {
    std::vector<std::pair<double, double>> all{{50, 10}, {5 + with_others, 5}};
    for (std::size_t i = 0; i < 7; ++i) all.emplace_back(i + 1 == fast ? 24 : 25, 5);
    all.emplace_back(7 + second, 7);
    return all;
  };
  const std::string no_more_than_twice =
      "a page walk (40 ns) seems to take hardly more than a hit in the second level of the TLB (21 ns)";
  Cpuid virtual_one = amd(0xFF480000, 0x6C000000);
  virtual_one[{1, 0}].c = 0x80000000;
  const OfPages all[] = {
      {"one level is told, and none is fast",
       amd(0xFF480000, 0),
       pages(16, 0, 21),
       small_and_huge(64, 4, 256, 2, 21.0, 38.0),
       3,
       {"the processor tells nothing of its TLB: 64 entries are assumed, and 256 in the second level, as no "
        "more pages are fast",
        no_more_than_twice}},
      {"twice as many are told",
       virtual_one,
       pages(2, 4, 20),
       small_and_huge(72, 72, 3072, 8, 20.0, 38.0),
       8,
       {"this is a virtual machine: it may be told the caches of another, or those that it shares with "
        "others"}},
      {"half as many are told",
       intel_of(6, 16, 4, 128),
       pages(-1, 3, 21),
       small_and_huge(96, 6, 512, 4, 21.0, 38.0),
       1,
       {no_more_than_twice}},
      {"fewer are told",
       intel_of(6, 16, 7, 73),
       pages(40, 3, 1),
       small_and_huge(96, 6, 511, 7, 1.0, 38.0),
       1,
       {"the second level of the TLB is told to have 511 entries; 1024 pages are fast"}}};
  for (const OfPages& one : all) {
    const std::vector<TimedPool> pools{{8, 2}, {12, 3}};
    const std::vector<Timed> times =
        joined({times_of(pools),
                times_of_pages(one.pages),
                {{6, 4096}, {5, 8192}, {4, 16384}, {3.5, 32768}, {2.5, 65536}, {3, 131072}},
                {{1.5, stores_of_scatter}, {0.25, lines_of_stream}},
                {{1, inputs_of_loop}, {2, inputs_of_loop}, {7, inputs_of_loop}}});
    const Json machine = told(one.cpuid, times, 12 << 10)["machine"];
    EXPECT_EQ(machine["translations"], one.translations) << one.name << machine["translations"];
    EXPECT_EQ(machine["core"]["walks"], one.walks) << one.name;
    EXPECT_EQ(machine["levels"], Json::parse(R"([
      {"name": "L1", "bytes": 1024, "ways": 16, "ns": 2, "replacement": "tree_plru"}])"));
    std::vector<std::string> unsure{"L1 is told to have 0.5 KiB; pools of up to 8 KiB are as fast as it"};
    unsure.insert(one.unsure[0].starts_with("this is a virtual") ? unsure.begin() : unsure.end(),
                  one.unsure.begin(), one.unsure.end());
    unsure.insert(unsure.end(), always.begin(), always.end());
    EXPECT_EQ(machine["unsure"], Json(unsure)) << one.name;
  }
}

}  // namespace
}  // namespace redbench
