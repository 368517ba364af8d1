// What the commands that only tell something print, whole: each column, unit and order, and its indentation.
#include <gmock/gmock.h>

#include "src/json.hpp"
#include "src/registry.hpp"
#include "tests/support.hpp"
#include "tests/terminal_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ListText, NamesAreAsWideAsTheWidestThatIsAsked) {
  EXPECT_EQ(redbench("list -b '^(histogram/cpu_serial|multireduce/cpu_huge_pages|reduce/cpu_serial)$'").text,
            "histogram/cpu_serial        any          host       one loop on one core\n"
            "multireduce/cpu_huge_pages  any          host       the loop of cpu_sequential, all its memory "
            "in huge pages\n"
            "reduce/cpu_serial           any          host       one loop on one core; single precision "
            "accumulates in double\n");
}

TEST(ListJson, OneCardIsWhole) {
  const Answer answer = redbench("list --json -b '^multireduce/cpu_presorted$'");
  EXPECT_EQ(answer.exit_code, exit_fine);
  Json expected = Json::parse(R"json({"multireduce/cpu_presorted": {
    "problem": "multireduce",
    "title": "the loop of cpu_sequential after a partial radix sort",
    "source": "Eilers 2014, 2.4, Alg. 2.4, mended; the sort is part of the time",
    "order": "any", "minimum_capability": 0, "maximum_n": 0, "maximum_m": 0, "library_only": false,
    "synchronizes": false, "pages": "small", "registers": 0,
    "parameters": [
      {"name": "sort_bits", "default": 0, "minimum": 0, "maximum": 32, "step": "one",
       "found": "2.4: 0 is log2 m - 18 from 2^threshold_log2 on, best on its Core2; else so many at any m"},
      {"name": "threshold_log2", "default": 21, "minimum": 19, "maximum": 33, "step": "one",
       "found": "2.4: 2^21 is the lowest m that is sorted, best on its Core2 (printed: sort if m < 2^21)"},
      {"name": "digit_bits", "default": 9, "minimum": 1, "maximum": 16, "step": "one",
       "found": "Alg. 2.4, not printed; one pass for all m to 2^27 of Fig. 2.7"}],
    "devices": {"host": {
      "takes": {"i32": ["sum", "min", "right"], "u32": ["sum", "affine"], "i64": ["sum"], "f32": ["sum"],
                "f64": ["sum"]},
      "refuses": {}}},
    "file": "kernels/multireduce/cpu_presorted.cpp"}})json");
  Json& card = expected["multireduce/cpu_presorted"];
  card["source_hash"] = {{"host", find_variant("multireduce/cpu_presorted")->code_hash}};
  EXPECT_EQ(answer.text, expected.dump(2) + '\n') << "a device that it is not built for is none of its";
}

TEST(ListJson, CardsThatSayMore) {
  const Json cards = Json::parse(redbench("list --json").text);
  const auto fields = [&](const char* name) {
    Json card = cards.at(name);
    for (const char* told : {"problem", "title", "source", "parameters", "devices", "file", "source_hash"})
      card.erase(told);
    return card;
  };
  const auto card = [](const char* order, int capability, Index n, Index m, bool library, bool synchronizes,
                       const char* pages) {
    return Json{
        {"order", order},          {"minimum_capability", capability}, {"maximum_n", n}, {"maximum_m", m},
        {"library_only", library}, {"synchronizes", synchronizes},     {"pages", pages}, {"registers", 0}};
  };
  EXPECT_EQ(fields("reduce/shuffle_warp_atomic"),
            card("commutative", 30, Index(1) << 31, 0, false, false, "any"));
  EXPECT_EQ(fields("histogram/trish"), card("commutative", 0, 0, 256, false, false, "any"));
  EXPECT_EQ(fields("segreduce/thrust_reduce_by_key"), card("any", 0, 0, 0, true, true, "any"));
  EXPECT_EQ(fields("multireduce/cpu_huge_pages"), card("any", 0, 0, 0, false, false, "huge"));
  EXPECT_EQ(cards["reduce/shuffle_warp_atomic"]["parameters"][0]["step"], "multiple_of_warp");
  EXPECT_EQ(cards["reduce/harris3"]["parameters"][0]["step"], "power_of_two");
}

TEST(DescribeText, AVariantOfTheCpu) {
  const Answer huge = redbench("describe multireduce/cpu_huge_pages --n 4Ki");
  EXPECT_EQ(huge.exit_code, exit_fine);
  EXPECT_EQ(huge.text.substr(0, huge.text.find("\nOn host (")),
            "multireduce/cpu_huge_pages: the loop of cpu_sequential, all its memory in huge pages\n"
            "  from        Eilers 2014, 2.4, Fig. 2.4: pages of 2048 kB; for which arrays is not printed\n"
            "  file        kernels/multireduce/cpu_huge_pages.cpp\n"
            "  needs       nothing: any associative operator, kept in input order\n"
            "  memory      in huge pages (2048 kB)\n"
            "  on host\n"
            "    takes     affine   u32\n"
            "    takes     min      i32\n"
            "    takes     right    i32\n"
            "    takes     sum      i32 u32 i64 f32 f64\n");
  const std::string presorted = redbench("describe multireduce/cpu_presorted --n 4Ki").text;
  EXPECT_THAT(presorted,
              HasSubstr("  needs       nothing: any associative operator, kept in input order\n"
                        "  memory      in small pages (4 kB)\n"
                        "  parameter   sort_bits = 0 (0 to 32); 2.4: 0 is log2 m - 18 from 2^threshold_log2 "
                        "on, best on its Core2; else so many at any m\n"
                        "  parameter   threshold_log2 = 21 (19 to 33); 2.4: 2^21 is the lowest m that is "
                        "sorted, best on its Core2 (printed: sort if m < 2^21)\n"
                        "  parameter   digit_bits = 9 (1 to 16); Alg. 2.4, not printed; one pass for all m "
                        "to 2^27 of Fig. 2.7\n"
                        "  on host\n"));
  // 4096 values and labels of 4 bytes, 256 results.
  EXPECT_THAT(
      presorted,
      HasSubstr("\nmultireduce/cpu_presorted  4Ki  i32   sum       uniform  uniform  256  "
                "sort_bits=0 threshold_log2=21 digit_bits=9  -       -        -       -          "
                "0 B      33.0 KiB\n1 case in 1 cell, 0 refused; at most 33.0 KiB of device memory; "));
}

// With CUDA built in, what it takes there stands before.
TEST(DescribeText, AKernel) {
  const std::string atomic = redbench("describe reduce/shuffle_warp_atomic -d simt:gtx480 --n 3000").text;
  EXPECT_EQ(
      atomic.substr(0, atomic.find("  on ")),
      "reduce/shuffle_warp_atomic: shuffle within warps, an atomic per warp\n"
      "  from        Luitjens 2014, \"Atomic power\"\n"
      "  file        kernels/reduce/shuffle_warp_atomic.cu\n"
      "  needs       a commutative operator, compute capability 3.0, n up to 2147483648\n"
      "  parameter   block = 256 (32 to 1024, multiples of 32); from the code that the paper names, its "
      "atomic forms\n"
      "  parameter   max_blocks = 2048 (1 to 1048576); from the code that the paper names, its atomic "
      "forms\n");
  EXPECT_THAT(
      atomic,
      testing::EndsWith(
          "  on simt\n"
          "    takes     max      i32 i64 u32 f32 f64 f16\n"
          "    takes     min      i32 i64 u32 f32 f64 f16\n"
          "    takes     product  i32 i64 u32 f32 f64 c32\n"
          "    takes     sum      i32 i64 u32 f32 f64 c32 c64 f16\n"
          "    refuses   affine   u32\n"
          "    refuses   right    i32 i64 u32 f32 f64 c32 c64\n"
          "      why     needs a commutative operator\n"
          "    refuses   product  c64\n"
          "      why     needs an atomic update of a 16-byte value, which the device does not have\n"
          "\nOn simt:gtx480 (gtx480):\n"
          "variant                     n     type  operator  values   parameters                 blocks  "
          "threads  shared  occupancy  scratch  memory\n"
          "reduce/shuffle_warp_atomic  3000  i32   sum       uniform  block=256 max_blocks=2048  refused: "
          "needs compute capability 3.0, gtx480 has 2.0\n"
          "1 case in 1 cell, 1 refused; at most 0 B of device memory; less than a second\n"));
  EXPECT_THAT(redbench("describe segreduce/thrust_reduce_by_key -d simt:gtx480").text,
              HasSubstr("  needs       its library's device\n"
                        "  note        waits for the device itself: its launch gap is part of its time\n"
                        "  on "));
}

TEST(DescribeText, AProblem) {
  const Answer segreduce = redbench("describe segreduce");
  EXPECT_EQ(segreduce.exit_code, exit_fine);
  EXPECT_EQ(
      segreduce.text,
      "segreduce: values[n], cut into m segments, to m values, in input order\n"
      "  axis        values = uniform; what the values are: uniform, exact, equal, extreme or {\"file\": "
      "\"x.npy\"}\n"
      "  axis        segments = uniform:10..50; how the input is cut: `one`, `fixed:K`, `uniform:A..B`, "
      "`geometric:MEAN`, `zipf:S` (S > 1), each also with `+empty`, {\"file\": \"offsets.npy\"} or "
      "{\"owners\": \"owners.npy\"}\n"
      "  axis        given = owners; what tells the segments: the owner of each value, or where each segment "
      "starts: `owners` or `offsets`\n"
      "  operator    affine   u32\n"
      "  operator    max      i32 i64 u32 f32 f64 f16\n"
      "  operator    min      i32 i64 u32 f32 f64 f16\n"
      "  operator    product  i32 i64 u32 f32 f64 c32 c64\n"
      "  operator    right    i32 i64 u32 f32 f64 c32 c64\n"
      "  operator    sum      i32 i64 u32 f32 f64 c32 c64 f16\n");
}

// 700 values of 8 bytes in segments of three with owners of 4 bytes, so 234 results: a thread clears each,
// and 2 blocks read 512 values of 12 bytes each and hand 12 bytes on, which the last block reads. A block of
// 256 threads is 8 of the 48 warps of a multiprocessor.
TEST(PlanJson, ACellIsWhole) {
  const TemporaryFolder folder;
  const std::string config =
      folder.write("p.json", R"({"title": "µ", "experiments": [{"problem": "segreduce", "variants":
        ["tb2", "cub_segmented"], "axes": {"n": 700, "segments": "fixed:3", "type": "f64"}}]})");
  const Answer answer = redbench("plan " + config + " -d simt:gtx480 --json");
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_THAT(answer.text, StartsWith("{\n  \"config\": {\n    \"title\": \"µ\",\n    \"experiments\": [\n"));
  Json plan = Json::parse(answer.text);
  EXPECT_EQ(answer.text, plan.dump(2) + '\n');
  EXPECT_EQ(plan["config"]["seed"], 1);
  plan.erase("config");
  const auto launch = [](const char* kernel, int blocks, int shared, double read, double written) {
    return Json{{"kernel", kernel},         {"blocks", blocks},
                {"threads", 256},           {"dynamic_shared_bytes", shared},
                {"static_shared_bytes", 0}, {"cooperative", false},
                {"registers", 0},           {"resident_blocks", 6},
                {"occupancy", 1.0},         {"limiter", "warps"},
                {"bytes_read", read},       {"bytes_written", written}};
  };
  const std::string point = " n=700 type=f64 operator=sum values=uniform segments=fixed:3 given=owners";
  const Json taken{{"key", "segreduce/tb2" + point + " block=256"},
                   {"variant", "segreduce/tb2"},
                   {"device", "simt:gtx480"},
                   {"parameters", {{"block", 256}}},
                   {"refusal", nullptr},
                   {"launches",
                    {launch("fill_kernel<double>", 1, 0, 0, 234 * 8),
                     launch("segmented_tree<Sum<double>>", 2, 528 * 12, 700 * 12, 24),
                     launch("segmented_tree<Sum<double>>", 1, 528 * 12, 24, 12)}},
                   {"chain", 19},
                   {"scratch_bytes", 4 * 256},
                   {"device_bytes", 700 * 12 + 234 * 8 + 4 * 256}};
  const Json refused{{"key", "segreduce/cub_segmented" + point},
                     {"variant", "segreduce/cub_segmented"},
                     {"device", "simt:gtx480"},
                     {"parameters", Json::object()},
                     {"refusal",
                      "`sum` of f64: only a library call: it has no kernel of its own that the modelled "
                      "device could run"},
                     {"launches", Json::array()},
                     {"chain", 0},
                     {"scratch_bytes", 0},
                     {"device_bytes", 700 * 12 + 234 * 8}};
  EXPECT_EQ(plan, (Json{{"device", "simt:gtx480"},
                        {"cases", 2},
                        {"runnable", 1},
                        {"peak_bytes", 700 * 12 + 234 * 8 + 4 * 256},
                        {"cells",
                         {{{"problem", "segreduce"},
                           {"n", 700},
                           {"type", "f64"},
                           {"operator", "sum"},
                           {"values", "uniform"},
                           {"segments", "fixed:3"},
                           {"given", "owners"},
                           {"cases", {taken, refused}}}}}}));
}

TEST(WhyText, StepsOfAConfigAreApartByAnEmptyLine) {
  const TemporaryFolder folder;
  folder.write("w.json",
               R"({"experiments": [{"problem": "reduce", "variants": ["harris1", "harris2", "harris3"],
                             "axes": {"n": 600}}]})");
  const Answer answer = redbench("why w.json -d simt:gtx480", folder.path());
  EXPECT_EQ(answer.exit_code, exit_fine);
  const std::string point =
      "device simt:gtx480  ·  n 600  ·  type i32  ·  operator sum  ·  values uniform\n\n- ";
  EXPECT_THAT(answer.text, StartsWith("reduce/harris1 -> reduce/harris2\n" + point));
  EXPECT_THAT(answer.text, HasSubstr("\n\nreduce/harris2 -> reduce/harris3\n" + point));
}

TEST(WhyText, IsWithoutProgress) {
  const auto shown = on_terminal([] {
    ::execl("/bin/sh", "sh", "-c",
            REDBENCH_BINARY " why reduce/harris1 reduce/harris2 -d simt:gtx480 --n 600", nullptr);
  });
  if (!shown) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
  EXPECT_THAT(*shown, StartsWith("reduce/harris1 -> reduce/harris2\r\n"));
  EXPECT_THAT(*shown, Not(HasSubstr("\x1b")));
}

TEST(ProfileText, EachRecordIsShownOnceAndWithoutProgress) {
  const TemporaryFolder folder;
  const std::string command = "profile reduce/harris1 -d simt:gtx480 -a n=600 -o " + folder.path() + "/p ";
  const Answer answer = redbench(command + "--lines 0");
  EXPECT_EQ(answer.exit_code, exit_fine);
  const std::string title = "reduce/harris1: interleaved addressing, modulo test on simt:gtx480 (gtx480)\n",
                    key = "\nreduce/harris1 n=600 type=i32 operator=sum values=uniform block=256\n",
                    end = "\nrecords are in " + folder.path() + "/p\n";
  EXPECT_THAT(answer.text,
              StartsWith(title + key + "launch 0: interleaved_modulo<Sum<int>>, 3 blocks of 256 "));
  EXPECT_THAT(answer.text, testing::EndsWith(end));
  EXPECT_EQ(answer.text.rfind(key), title.size());
  EXPECT_THAT(answer.text, Not(HasSubstr("kernels/reduce/harris1.cu"))) << "no lines were asked for";

  const Answer json = redbench(command + "--replace --json");
  EXPECT_EQ(json.exit_code, exit_fine);
  const Json records = Json::parse(json.text);
  EXPECT_EQ(records.size(), 1u);
  EXPECT_EQ(json.text, records.dump(1) + '\n');

  const auto shown = on_terminal([&] {
    const std::string text = std::string(REDBENCH_BINARY) + " " + command + "--replace --lines 0";
    ::execl("/bin/sh", "sh", "-c", text.c_str(), nullptr);
  });
  if (shown) {
    EXPECT_THAT(*shown, HasSubstr("launch 1: "));
    EXPECT_THAT(*shown, Not(HasSubstr("\x1b"))) << "what is printed stands between the records";
  }
}

TEST(HelpText, SaysWhatAnOptionIsWithoutIt) {
  EXPECT_THAT(
      redbench("profile --help").text,
      HasSubstr("\n  -d,--device DEVICE=simt where to run: auto, cuda, cuda:1, simt, simt:gtx480,\n"));
  EXPECT_THAT(redbench("profile --help").text, HasSubstr("\n  --lines COUNT=8         source lines shown"));
  const std::string reproduce = redbench("reproduce --help").text;
  EXPECT_THAT(reproduce, HasSubstr("\n  --precision PRECISION=default\n                          "
                                   "default: one process for each config, "));
  EXPECT_THAT(reproduce, HasSubstr("; paper: as\n                          the configs say: "));
  EXPECT_THAT(reproduce, HasSubstr("of a case; quick: enough to see\n"));
  for (const char* command :
       {"cachesim", "claims", "compare", "selftest", "reproduce", "results", "tables", "why"})
    EXPECT_THAT(redbench(std::string(command) + " --help").text,
                HasSubstr("\n  --width CHARACTERS=140  of the tables for readers: texts are cut and columns\n"
                          "                          left out beyond it, 0: none\n"))
        << command;
  for (const char* command : {"cachesim", "list", "plan", "profile", "run", "selftest", "verify"})
    EXPECT_THAT(
        redbench(std::string(command) + " --help").text,
        HasSubstr("\n  -b,--variants,--benchmark REGEX\n                          only the variants whose "
                  "names fit this regular\n"))
        << command;
  EXPECT_THAT(redbench("selftest --help").text, HasSubstr("\n  --runs COUNT=2 "));
}

}  // namespace
}  // namespace redbench
