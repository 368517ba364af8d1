// Whole tables, to the last character: every column with its unit and its side, every note with its number.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "src/tables/case_table.hpp"
#include "src/tables/level_table.hpp"
#include "src/tables/marks.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/run_tables.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

constexpr const char* header =
    "figure,variant,device,n,type,operator,block,quantity,unit,relation,value,source\n";

std::vector<PublishedNumber> published(const std::string& lines) {
  const TemporaryFolder folder;
  return read_published(folder.write("paper.csv", header + lines), "t");
}

TEST(Numbers, AreRoundedOnceAndWhatIsNoneStays) {
  EXPECT_EQ(significant(9.996), "9.996") << "not 10.00, as with a digit less";
  EXPECT_EQ(significant(0.09996), "0.09996");
  EXPECT_EQ(significant(99.96, 3), "100");
  EXPECT_EQ(significant(99.94, 3), "99.9");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_percents(infinity), "inf");
  EXPECT_EQ(to_percents(-infinity), "-inf");
  EXPECT_EQ(to_percents(0), "0");
  EXPECT_EQ(to_percents(4.96), "4.96");
  EXPECT_EQ(to_percents(5.04), "5.0") << "a digit less from 5 on: 2 % are known";
  EXPECT_EQ(to_percents(0.0499), "0.0499");
  EXPECT_EQ(to_percents(0.051), "0.051");
  EXPECT_EQ(to_percents(9.999999999999999), "10.0") << "it is 10 in all digits that a number has";
  EXPECT_EQ(as_printed(1000000), "1000000");
  EXPECT_EQ(as_printed(1234567.4), "1234567");
  EXPECT_EQ(as_printed(-1234567), "-1234567");
  EXPECT_EQ(as_printed(999999.4), "999999");
  EXPECT_EQ(as_printed(0.123456789), "0.123457");
}

TEST(Numbers, FromATenThousandthOnHaveNoPowerOfTen) {
  EXPECT_EQ(significant(0.00012346), "0.0001235");
  EXPECT_EQ(significant(0.000099999), "0.0001000") << "rounded up to it";
  EXPECT_EQ(significant(0.00009872), "9.87e-05");
  EXPECT_EQ(significant(-0.00012346), "-0.0001235");
}

TEST(Numbers, AreRoundedToTheirPlace) {
  EXPECT_EQ(rounded(2.5, 0), "2") << "the even one of two as near";
  EXPECT_EQ(rounded(3.5, 0), "4");
  EXPECT_EQ(rounded(25, 1), "30");
  EXPECT_EQ(rounded(1234.5678, -2), "1234.57");
  EXPECT_EQ(rounded(-1234.5678, 2), "-1200");
  EXPECT_EQ(rounded(149, 2), "100");
}

TEST(Numbers, OfNothingAndOneHaveTheirPlaces) {
  EXPECT_EQ(last_place(0, 0, 0), 0);
  EXPECT_EQ(last_place(0, -0.25, 0.5), 0);
  EXPECT_EQ(last_place(1, 0, 0), -2);
  EXPECT_EQ(last_place(1, 0.5, 0.5), -2) << "an interval of no width is none";
  EXPECT_EQ(last_place(1, 0.9, 1.13), -2) << "0.23 wide";
  EXPECT_EQ(digits_to(0, -3), 1);
  EXPECT_EQ(digits_to(7, 3), 1) << "one at least";
  EXPECT_EQ(digits_to(123456, -2), 4) << "four at most";
  EXPECT_EQ(digits_to(123456, 3), 3);
}

TEST(WholeTable, OfCasesOneOfWhichIsWrong) {
  Record wrong = record_of("reduce/b", 1 << 20, "wrong");
  wrong["reason"] = "result[0] is 0";
  const std::vector<Record> records{timed("reduce/a", 1 << 20, 200336, 200160, 200672), wrong};
  EXPECT_EQ(markdown(case_table(records, {})),
            "problem reduce  ·  n 1Mi  ·  type i32  ·  operator sum  ·  values uniform  ·  mode cold\n\n"
            "| variant | time (µs) | interval (µs) | effective bandwidth (GB/s) | time per input (ns) | "
            "share of the "
            "measured ceiling (%) | outcome |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
            "| a | 200.3 | 200.2 to 200.7 | 20.94 | 0.1911 | 50.00 | passed |\n"
            "| b |  |  |  |  |  | wrong [1] |\n"
            "\n1. result[0] is 0\n");
  EXPECT_EQ(markdown(case_table({}, {})), "| variant |\n| --- |\n");
}

TEST(WholeTable, OfCasesWithHalfAnIntervalAndWithAPapersNumbers) {
  Record low = timed("reduce/a", 1 << 20, 2000, 1990, 2010),
         high = timed("reduce/b", 1 << 20, 3000, 2990, 3010);
  low["time_high_ns"] = nullptr;
  high["time_low_ns"] = nullptr;
  const std::vector<PublishedNumber> numbers = published(
      "t,reduce/a,Old GPU,1Mi,i32,sum,,time,ms,=,5.28,T1\n"
      "t,reduce/b,Old GPU,1Mi,i32,sum,,time,ms,~,7,T1\n"
      "t,reduce/b,New GPU,1Mi,i32,sum,,time,us,<=,8,T1\n"
      "t,reduce/b,Old GPU,1Mi,i32,sum,,,ms,=,1,T1\n"
      "t,reduce/b,Old GPU,1Mi,i32,sum,,time,,=,2,T1\n"
      "t,reduce/b,Old GPU,1Mi,i32,sum,,bandwidth,ms,=,3,T1\n"
      "t,reduce/b,Old GPU,1Mi,i32,sum,,loudness,GB/s,=,4,T1\n");
  ASSERT_EQ(numbers.size(), 3u) << "the others are of no field";
  EXPECT_EQ(markdown(case_table({low, high}, numbers)),
            "problem reduce  ·  n 1Mi  ·  type i32  ·  operator sum  ·  values uniform  ·  mode cold  ·  all "
            "passed\n\n"
            "| variant | time (µs) | effective bandwidth (GB/s) | time per input (ns) | share of the "
            "measured ceiling "
            "(%) | time (µs), Old GPU, published | time (µs), New GPU, published |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            "| a | 2.00 | 2100 | 0.00191 | 50.0 | 5280 |  |\n"
            "| b | 3.00 | 1400 | 0.00286 | 50.0 | ~ 7000 | <= 8 |\n");
}

// An axis that is a number agrees by its value, however the paper writes it.
TEST(WholeTable, APapersNumberIsOfTheRecordsThatAgreeInEveryAxis) {
  const Record record = timed("reduce/a", 1 << 20, 2000, 1990, 2010);  // in blocks of 256
  for (const auto& [line, is_of] : {std::pair("t,reduce/a,G,1048576,i32,sum,2^8,time,ms,=,1,T1\n", true),
                                    {"t,reduce/a,G,2^20,i32,sum,256,time,ms,=,1,T1\n", true},
                                    {"t,reduce/a,G,,,,,time,ms,=,1,T1\n", true},
                                    {"t,reduce/a,G,1Mi,i32,sum,128,time,ms,=,1,T1\n", false},
                                    {"t,reduce/a,G,1Mi,i32,sum,any,time,ms,=,1,T1\n", false},
                                    {"t,reduce/a,G,1Mi,i32,sum,[256:512:256],time,ms,=,1,T1\n", false},
                                    {"t,reduce/a,G,1Mi,i33,sum,256,time,ms,=,1,T1\n", false},
                                    {"t,reduce/b,G,1Mi,i32,sum,256,time,ms,=,1,T1\n", false}})
    EXPECT_EQ(published(line).at(0).is_of(record), is_of) << line;
  Record without = record;
  without["parameters"] = Json::object();
  EXPECT_FALSE(published("t,reduce/a,G,1Mi,i32,sum,256,time,ms,=,1,T1\n").at(0).is_of(without))
      << "no such axis";
}

// An axis that some records lack is one of numbers where all that have it say so.
TEST(WholeTable, OfAxesThatSomeRecordsLack) {
  Record first = record_of("reduce/a"), second = record_of("reduce/b"), third = record_of("reduce/c");
  first["axes"].update({{"m", 16}, {"layout", "flat"}});
  third["axes"].update({{"m", 32768}, {"layout", 7}});
  EXPECT_EQ(markdown(case_table({first, second, third}, {})),
            "problem reduce  ·  n 1Ki  ·  type i32  ·  operator sum  ·  values uniform  ·  all passed\n\n"
            "| variant | m | layout |\n"
            "| --- | ---: | --- |\n"
            "| a | 16 | flat |\n"
            "| b | - | - |\n"
            "| c | 32Ki | 7 |\n");
}

TEST(WholeTable, OfCountsHasEachQuantityOnceAndWhatItCouldBe) {
  Record record = record_of("reduce/a");
  record["counters"] = {
      {"global_load_sectors", 30}, {"global_load_sectors_ideal", 12},    {"global_load_requests", 5},
      {"global_load_lanes", 160},  {"shared_load_wavefronts", 77},       {"shared_store_conflicts", 9},
      {"warp_basic_blocks", 8},    {"warp_basic_block_lanes", 100},      {"branches", 40},
      {"divergent_branches", 6},   {"predicable_divergent_branches", 4}, {"block_barriers", 3},
      {"named_barriers", 11}};
  EXPECT_EQ(markdown(case_table({completed(record)}, {})),
            "problem reduce  ·  n 1Ki  ·  type i32  ·  operator sum  ·  values uniform  ·  all passed\n\n"
            "| variant | global memory (sectors) | ideal (sectors) | sectors touched (per ideal sector) | "
            "shared memory "
            "(wavefronts) | bank conflicts (wavefronts) | active lanes (of 32) | divergent branches (%) | "
            "unpredicable "
            "divergent branches (%) | barriers (waits of warps) |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            "| a | 30 | 12 | 2.500 | 77 | 9 | 12.50 | 15.00 | 5.000 | 14 |\n");
}

// Launches that read nothing, as one that clears its results, are none of the paper's.
TEST(WholeTable, OfLaunchesCountsThoseThatRead) {
  Record first = record_of("reduce/a"), second = record_of("reduce/b");
  first["launches"] = {launch_of(3, 0), launch_of(5, 1), launch_of(7, 0), launch_of(11, 64)};
  second["launches"] = {launch_of(13, 2)};
  first["launches"][1].update({{"occupancy", 0.75}, {"limiter", "registers"}, {"threads", 96}});
  EXPECT_EQ(
      markdown(launch_table({completed(first), completed(second)}, {})),
      "| variant | launch | kernel | grid (blocks) | block (threads) | shared memory (bytes) | occupancy "
      "(%) | limited by |\n"
      "| --- | ---: | --- | ---: | ---: | ---: | ---: | --- |\n"
      "| a | 0 | tree | 3 | 256 | 1024 | 100.0 | warps |\n"
      "| a | 1 | tree | 5 | 96 | 1024 | 75.00 | registers |\n"
      "| a | 0 | tree | 7 | 256 | 1024 | 100.0 | warps |\n"
      "| a | 2 | tree | 11 | 256 | 1024 | 100.0 | warps |\n"
      "| b | 1 | tree | 13 | 256 | 1024 | 100.0 | warps |\n");
}

TEST(WholeTable, OfLevelsTellsCasesOfOneVariantApart) {
  Record first = record_of("reduce/a", 1024), second = record_of("reduce/a", 2048);
  first["trace"] = {{{"level", 0}, {"lanes", 32}, {"cache_lines", 2}},
                    {{"level", 1}, {"lanes", 16}, {"cache_lines", 3}}};
  second["trace"] = {{{"level", 0}, {"lanes", 31}, {"cache_lines", 4}}};
  EXPECT_EQ(markdown(level_table({first, second})),
            "| variant | level | accesses | transfers | case |\n"
            "| --- | ---: | ---: | ---: | --- |\n"
            "| reduce/a | 0 | 32 | 2 | reduce/a n=1024 |\n"
            "| reduce/a | 1 | 16 | 3 | reduce/a n=1024 |\n"
            "| reduce/a | 0 | 31 | 4 | reduce/a n=2048 |\n");
  EXPECT_EQ(comma_separated(level_table({first, second})),
            "variant,level,accesses,transfers,case\n"
            "reduce/a,0,32,2,reduce/a n=1024\n"
            "reduce/a,1,16,3,reduce/a n=1024\n"
            "reduce/a,0,31,4,reduce/a n=2048\n");
}

// A reason whose column no row has stands beside nothing else.
TEST(WholeTable, AMarkOfAColumnThatIsNotThereIsNone) {
  Record record = timed("reduce/a", 1024, 2000, 1990, 2010);
  record["energy_missing"] = "the counter did not move";
  record["stopped"] = "max_samples";
  record["noise_percent"] = 0.437;
  record["forks"] = 2;
  Table table = case_table({record}, {});
  const Table before = table;
  record["stale"] = nullptr;
  mark_rows(table, {record});
  EXPECT_EQ(table.rows[0][1], before.rows[0][1]);
  EXPECT_EQ(table.rows[0][0].find("energy"), std::string::npos);
  for (const std::string& note : table.notes) EXPECT_EQ(note.find("energy"), std::string::npos) << note;
  EXPECT_EQ(table.remarks,
            std::vector<std::string>{"Stopped at max_samples: 1 of 1 rows, noise up to 0.44 %."})
      << "which may be less than 1 %";
}

TEST(WholeTables, OfARunWithLaunchesAndLevels) {
  Record timed_one = timed("reduce/a", 1024, 2000, 1990, 2010);
  timed_one["launches"] = {launch_of(4), launch_of(1)};
  Record counted = record_of("reduce/b", 1024), plain = record_of("reduce/c", 1024);
  for (Record* record : {&counted, &plain}) (*record)["device"] = "simt:h200";
  counted["counters"] = {{"block_barriers", 7}};
  counted["launches"] = {launch_of(5)};
  counted["trace"] = {{{"level", 0}, {"lanes", 32}, {"cache_lines", 2}}};
  plain["launches"] = {launch_of(6)};
  const RunTables of_times =
      make_tables({"", {{"name", "p/f"}, {"config", {{"title", "A run"}}}}, {completed(timed_one)}}, {}, 0);
  EXPECT_EQ(of_times.terminal,
            "A run\n"
            "NVIDIA Test  ·  p/f\n"
            "\n"
            "NVIDIA Test (cuda:0)\n"
            "problem reduce  ·  n 1Ki  ·  type i32  ·  operator sum  ·  values uniform  ·  mode cold  ·  all "
            "passed\n"
            "                                                  share of\n"
            "                                            time       the\n"
            "                                effective    per  measured\n"
            "          time                  bandwidth  input   ceiling\n"
            "variant   (µs)   interval (µs)     (GB/s)   (ns)       (%)\n"
            "-------  -----  --------------  ---------  -----  --------\n"
            "a [1]    2.000  1.990 to 2.010      2.050  1.953     50.00\n"
            "[1] stale: kernel gone; measured by an unknown version\n"
            "One fork: 1 of 1 rows, whose intervals speak of their process alone.\n")
      << "launches are in the file";
  EXPECT_EQ(
      of_times.markdown,
      "# A run\n"
      "\n"
      "NVIDIA Test  ·  p/f\n"
      "\n"
      "## NVIDIA Test (cuda:0)\n"
      "\n"
      "problem reduce  ·  n 1Ki  ·  type i32  ·  operator sum  ·  values uniform  ·  mode cold  ·  all "
      "passed\n"
      "\n"
      "| variant | time (µs) | interval (µs) | effective bandwidth (GB/s) | time per input (ns) | share of "
      "the measured ceiling (%) |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n"
      "| a [1] | 2.000 | 1.990 to 2.010 | 2.050 | 1.953 | 50.00 |\n"
      "\n"
      "1. stale: kernel gone; measured by an unknown version\n"
      "\n"
      "One fork: 1 of 1 rows, whose intervals speak of their process alone.\n"
      "\n"
      "### Launches\n"
      "\n"
      "| variant | launch | kernel | grid (blocks) | block (threads) | shared memory (bytes) | occupancy "
      "(%) | limited by |\n"
      "| --- | ---: | --- | ---: | ---: | ---: | ---: | --- |\n"
      "| a | 1 | tree | 4 | 256 | 1024 | 100.0 | warps |\n"
      "| a | 2 | tree | 1 | 256 | 1024 | 100.0 | warps |\n");
  EXPECT_EQ(of_times.levels_csv, "");
  const RunTables of_counts = make_tables({"", {{"name", "p/f"}}, {completed(counted)}}, {}, 0);
  EXPECT_EQ(of_counts.terminal,
            "p/f\n"
            "simt:h200  ·  p/f\n"
            "\n"
            "simt:h200\n"
            "problem reduce  ·  n 1Ki  ·  type i32  ·  operator sum  ·  values uniform  ·  all passed\n"
            "                                                           barriers\n"
            "            global                   shared          bank    (waits\n"
            "            memory      ideal        memory     conflicts        of\n"
            "variant  (sectors)  (sectors)  (wavefronts)  (wavefronts)    warps)\n"
            "-------  ---------  ---------  ------------  ------------  --------\n"
            "b [1]            0          0             0             0         7\n"
            "[1] stale: kernel gone; measured by an unknown version\n"
            "\n"
            "Levels\n"
            "variant   level  accesses  transfers\n"
            "--------  -----  --------  ---------\n"
            "reduce/b      0        32          2\n");
  EXPECT_EQ(
      of_counts.markdown,
      "# p/f\n"
      "\n"
      "simt:h200  ·  p/f\n"
      "\n"
      "## simt:h200\n"
      "\n"
      "problem reduce  ·  n 1Ki  ·  type i32  ·  operator sum  ·  values uniform  ·  all passed\n"
      "\n"
      "| variant | global memory (sectors) | ideal (sectors) | shared memory (wavefronts) | bank conflicts "
      "(wavefronts) | barriers (waits of warps) |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n"
      "| b [1] | 0 | 0 | 0 | 0 | 7 |\n"
      "\n"
      "1. stale: kernel gone; measured by an unknown version\n"
      "\n"
      "### Launches\n"
      "\n"
      "| variant | launch | kernel | grid (blocks) | block (threads) | shared memory (bytes) | occupancy "
      "(%) | limited by |\n"
      "| --- | ---: | --- | ---: | ---: | ---: | ---: | --- |\n"
      "| b | 1 | tree | 5 | 256 | 1024 | 100.0 | warps |\n"
      "\n"
      "### Levels\n"
      "\n"
      "| variant | level | accesses | transfers |\n"
      "| --- | ---: | ---: | ---: |\n"
      "| reduce/b | 0 | 32 | 2 |\n");
  EXPECT_EQ(of_counts.levels_csv,
            "variant,level,accesses,transfers\n"
            "reduce/b,0,32,2\n");
  const RunTables of_launches = make_tables({"", {{"name", "p/f"}}, {completed(plain)}}, {}, 0);
  EXPECT_EQ(of_launches.terminal,
            "p/f\n"
            "simt:h200  ·  p/f\n"
            "\n"
            "simt:h200\n"
            "problem reduce  ·  n 1Ki  ·  type i32  ·  operator sum  ·  values uniform  ·  all passed\n"
            "variant\n"
            "-------\n"
            "c [1]\n"
            "[1] stale: kernel gone; measured by an unknown version\n"
            "\n"
            "Launches\n"
            "                                               shared\n"
            "                             grid      block   memory  occupancy  limited\n"
            "variant  launch  kernel  (blocks)  (threads)  (bytes)        (%)  by\n"
            "-------  ------  ------  --------  ---------  -------  ---------  -------\n"
            "c             1  tree           6        256     1024      100.0  warps\n")
      << "that is all there is";
  EXPECT_EQ(of_launches.levels_csv, "");
}

}  // namespace
}  // namespace redbench
