// Sizes as configs and the command line write them.
#include <gmock/gmock.h>

#include "src/config/config.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Index> sizes(const char* text) { return parse_sizes(Json(text)); }

TEST(Sizes, UnitsPowersAndRanges) {
  constexpr Index most = Index(1) << 40;
  for (const auto& [text, size] : {std::pair("0", Index(0)),
                                   {"4096", 4096},
                                   {"16Mi", 16777216},
                                   {"2^0", 1},
                                   {"2^40", most},
                                   {"1099511627776", most}})
    EXPECT_THAT(sizes(text), ElementsAre(size)) << text;
  EXPECT_THAT(parse_sizes(Json(4096)), ElementsAre(4096));
  EXPECT_THAT(parse_sizes(Json(std::uint64_t(most))), ElementsAre(most));
  EXPECT_THAT(sizes("[2Mi:4Mi:1Mi]"), ElementsAre(2 << 20, 3 << 20, 4 << 20)) << "both ends";
  EXPECT_THAT(sizes("[1:10:4]"), ElementsAre(1, 5, 9)) << "the end is not met";
  EXPECT_THAT(sizes("[2^10:2^13:*2]"), ElementsAre(1024, 2048, 4096, 8192));
  // No overflow past the end.
  EXPECT_THAT(sizes("[2^39:2^40:*2]"), ElementsAre(Index(1) << 39, most));
  EXPECT_THAT(sizes("[2^39:2^40:*2^40]"), ElementsAre(Index(1) << 39));
  EXPECT_EQ(sizes("[1:10000:1]").size(), 10000u) << "the most that a range has";
}

TEST(Sizes, RefusalsSayWhatIsAllowed) {
  const std::string allowed =
      " is not a size: an integer, one with Ki, Mi or Gi, a power like 2^20, or a range like [16Mi:31Mi:1Mi] "
      "or [2^10:2^28:*2]";
  for (const char* text : {"", "x", "16Mb", "16 Mi", "1e6", "2^", "Mi", "0x10", "1.5Mi", "[1:2]", "[1:2:3:4]",
                           "[1:2::3]", "[1:2:3", "2^^3", "++1"})
    EXPECT_EQ(usage_error([&] { sizes(text); }), "`" + std::string(text) + "`" + allowed);
  for (const auto& [text, part] :
       {std::pair("[::]", ""), {"[1:2:+1]", "+1"}, {"[1x:2:1]", "1x"}, {"[1:2y:1]", "2y"}})
    EXPECT_EQ(usage_error([&, range = text] { sizes(range); }), "`" + std::string(part) + "`" + allowed)
        << text;
  for (const Json& value : {Json(1e6), Json(true)})
    EXPECT_THAT(usage_error([&] { parse_sizes(value); }), HasSubstr("is not a size"));
  for (const Json& value : {Json("-1"), Json("2^-1"), Json(-5)})
    EXPECT_THAT(usage_error([&] { parse_sizes(value); }), HasSubstr(" is negative"));
  for (const Json& value : {Json("2^41"), Json("1025Gi"), Json("99999999999999999999"), Json("1099511627777"),
                            Json((std::int64_t(1) << 40) + 1), Json(18446744073709551615u)})
    EXPECT_THAT(usage_error([&] { parse_sizes(value); }), HasSubstr(" is too large: the most is 2^40"));
  EXPECT_EQ(usage_error([] { sizes("[9:1:1]"); }), "the range [9:1:1] ends before it starts");
  for (const std::string text : {"[1:9:0]", "[1:9:*1]", "[1:9:*0]", "[0:9:*2]"})
    EXPECT_EQ(usage_error([&] { sizes(text.c_str()); }), "the range " + text + " never reaches its end");
  EXPECT_EQ(usage_error([] { sizes("[0:10000:1]"); }), "the range [0:10000:1] has more than 10000 values");
}

TEST(Sizes, FormatIsTheShortestExactOne) {
  EXPECT_EQ(format_size(0), "0");
  EXPECT_EQ(format_size(1000), "1000");
  EXPECT_EQ(format_size(16 << 20), "16Mi");
  EXPECT_EQ(format_size((16 << 20) + 1), "16777217");
  EXPECT_EQ(format_size(Index(3) << 30), "3Gi");
}

}  // namespace
}  // namespace redbench
