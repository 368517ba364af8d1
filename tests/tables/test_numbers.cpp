// Numbers as readers see them: no more digits than the interval bears out.
#include "src/tables/numbers.hpp"

#include <gtest/gtest.h>

namespace redbench {
namespace {

TEST(Numbers, FourSignificantDigitsWithoutPowersOfTen) {
  for (const auto& [value, text] : {std::pair(1234567.0, "1234567"),
                                    {3456.789, "3457"},
                                    {12.3456, "12.35"},
                                    {9.99996, "10.00"},  // as many digits after rounding up
                                    {0.0123456, "0.01235"},
                                    {0.0001, "0.0001000"},
                                    {0.000099994, "1.00e-04"},  // from here on powers of ten
                                    {-0.00005, "-5.00e-05"},
                                    {0.0, "0"}})
    EXPECT_EQ(significant(value), text);
  EXPECT_EQ(significant(4382, 2), "4400");
  EXPECT_EQ(significant(12345.678, 3), "12300");
  EXPECT_EQ(significant(99.96, 3), "100");
}

// Three digits where the first is 1 to 4, else two.
TEST(Numbers, DigitsOfAValueKnownToTwoPercent) {
  for (const auto& [value, text] : {std::pair(4.96, "4.96"),
                                    {5.0, "5.0"},
                                    {0.051, "0.051"},
                                    {-0.5, "-0.50"},
                                    {504.0, "500"},
                                    {1254.0, "1250"},
                                    {9.999999999999999, "10.0"},
                                    {0.0, "0"}})
    EXPECT_EQ(to_percents(value), text);
}

TEST(Numbers, RoundedToAPlace) {
  for (const auto& [value, place, text] : {std::tuple(13253.0, 1, "13250"),
                                           {8.672, -2, "8.67"},
                                           {1250.0, 2, "1300"},
                                           {2.5, 0, "2"},  // a half goes to the even digit
                                           {3.5, 0, "4"}})
    EXPECT_EQ(rounded(value, place), text);
}

TEST(Numbers, TheIntervalBearsOutItsSecondDigitAndFourOfTheValue) {
  struct {
    double value, low, high;
    int place;
  } const cases[] = {{8.672, 8.224, 8.736, -2},       // 0.512 wide
                     {200.336, 200.16, 200.672, -1},  // four digits are enough
                     {13253, 13053, 13599, 1},        // 546 wide
                     {5, 1, 900, 0},                  // never less than the first digit
                     {99.996, 99, 101, -1},           // it is 100.0 in four digits
                     {8.5, 8.002, 8.998, -1},         // 0.996 wide, which is 1.0 in two digits
                     {12.54, 0, 0, -1},               // no interval: three digits
                     {13253, 0, 0, 2},
                     {8.5, 9, 8, -2},
                     {0, 1, 2, 0}};
  for (const auto& [value, low, high, place] : cases)
    EXPECT_EQ(last_place(value, low, high), place) << value << ": " << low << " to " << high;
  EXPECT_EQ(digits_to(13253, 1), 4);
  EXPECT_EQ(digits_to(8.672, -2), 3);
  EXPECT_EQ(digits_to(8.672, -5), 4) << "four at most";
  EXPECT_EQ(digits_to(8.672, 2), 1) << "one at least";
  EXPECT_EQ(digits_to(99.996, 0), 3) << "it is 100";
  EXPECT_EQ(digits_to(0, -3), 1);
}

TEST(Numbers, AsAPaperPrintsThem) {
  for (const auto& [value, text] : {std::pair(5280.0, "5280"),
                                    {0.1 + 0.2, "0.3"},
                                    {999999.5, "1000000"},
                                    {-999999.4, "-999999"},
                                    {0.00001234, "1.234e-05"},
                                    {0.0, "0"}})
    EXPECT_EQ(as_printed(value), text);
}

}  // namespace
}  // namespace redbench
