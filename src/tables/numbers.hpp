// Numbers for readers: no more digits than are known, and no powers of ten.
#pragma once

#include <string>

namespace redbench {

/// `digits` significant digits, with trailing zeros. With four, the default, no digit before the point is
/// rounded away: 20416 stays. Below 1e-4 in powers of ten.
std::string significant(double value, int digits = 4);

/// A value known to about 2 %: three digits where the first is 1 to 4, else two.
std::string to_percents(double value);

/// Rounded to 10^place: (1234.5, 1) is "1230", (1.2345, -2) is "1.23".
std::string rounded(double value, int place);

/// Place of the last digit of a measured value that is worth showing: that of the second digit of its
/// interval's width, but at most four digits. Without an interval (`low` = `high`) three digits.
int last_place(double value, double low, double high);

/// Significant digits of a value that is rounded to a place: 1 to 4.
int digits_to(double value, int place);

/// As papers print numbers: at most six digits, no trailing zeros.
std::string as_printed(double value);

}  // namespace redbench
