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
  EXPECT_THAT(parse_sizes(Json(4096)), ElementsAre(4096));
  EXPECT_THAT(parse_sizes(Json(0)), ElementsAre(0));
  EXPECT_THAT(sizes("0"), ElementsAre(0));
  EXPECT_THAT(sizes("64Ki"), ElementsAre(65536));
  EXPECT_THAT(sizes("16Mi"), ElementsAre(16777216));
  EXPECT_THAT(sizes("2Gi"), ElementsAre(2147483648));
  EXPECT_THAT(sizes("2^20"), ElementsAre(1048576));
  EXPECT_THAT(sizes("2^0"), ElementsAre(1));
  EXPECT_THAT(sizes("2^40"), ElementsAre(Index(1) << 40));
  EXPECT_THAT(sizes("[2Mi:4Mi:1Mi]"), ElementsAre(2 << 20, 3 << 20, 4 << 20));  // inclusive
  EXPECT_THAT(sizes("[1:10:4]"), ElementsAre(1, 5, 9));                         // the end is not met
  EXPECT_THAT(sizes("[2^10:2^13:*2]"), ElementsAre(1024, 2048, 4096, 8192));
  EXPECT_THAT(sizes("[3:3:1]"), ElementsAre(3));
  EXPECT_THAT(sizes("[2^39:2^40:*2]"),
              ElementsAre(Index(1) << 39, Index(1) << 40));  // no overflow past the end
}

TEST(Sizes, RefusalsSayWhatIsAllowed) {
  for (const char* text : {"", "x", "16Mb", "16 Mi", "1e6", "2^", "Mi", "0x10", "1.5Mi", "[1:2]", "[1:2:3:4]",
                           "[1:2:3", "[::]", "[1:2:+1]", "2^^3", "++1"})
    EXPECT_THAT(usage_error([&] { sizes(text); }),
                HasSubstr("is not a size: an integer, one with Ki, Mi or Gi"))
        << text;
  EXPECT_EQ(usage_error([] { sizes("-1"); }), "-1 is negative");
  EXPECT_EQ(usage_error([] { sizes("2^-1"); }), "2^-1 is negative");
  EXPECT_EQ(usage_error([] { parse_sizes(Json(-5)); }), "-5 is negative");
  for (const char* text : {"2^41", "2048Gi", "99999999999999999999", "1099511627777"})
    EXPECT_THAT(usage_error([&] { sizes(text); }), HasSubstr("too large: the most is 2^40")) << text;
  EXPECT_THAT(usage_error([] { parse_sizes(Json(18446744073709551615u)); }), HasSubstr("too large"));
  EXPECT_THAT(usage_error([] { parse_sizes(Json(1e6)); }), HasSubstr("is not a size"));
  EXPECT_THAT(usage_error([] { parse_sizes(Json(true)); }), HasSubstr("is not a size"));
  EXPECT_THAT(usage_error([] { sizes("[9:1:1]"); }), HasSubstr("ends before it starts"));
  EXPECT_THAT(usage_error([] { sizes("[1:9:0]"); }), HasSubstr("never reaches its end"));
  EXPECT_THAT(usage_error([] { sizes("[1:9:*1]"); }), HasSubstr("never reaches its end"));
  EXPECT_THAT(usage_error([] { sizes("[0:9:*2]"); }), HasSubstr("never reaches its end"));
  EXPECT_THAT(usage_error([] { sizes("[1:2^40:1]"); }), HasSubstr("more than 10000 values"));
}

TEST(Sizes, FormatIsTheShortestExactOne) {
  EXPECT_EQ(format_size(0), "0");
  EXPECT_EQ(format_size(1000), "1000");
  EXPECT_EQ(format_size(1024), "1Ki");
  EXPECT_EQ(format_size(16 << 20), "16Mi");
  EXPECT_EQ(format_size((16 << 20) + 1), "16777217");
  EXPECT_EQ(format_size(Index(3) << 30), "3Gi");
}

}  // namespace
}  // namespace redbench
