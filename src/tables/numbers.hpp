// Numbers as readers see them: no more digits than mean something, and no powers of ten.
#pragma once

#include <string>

namespace redbench {

/// `digits` significant ones, zeros at the end among them. At four the digits before the point are all kept.
/// Below 1e-4 in powers of ten after all.
std::string significant(double value, int digits = 4);

/// Of a value known to about 2 %: three digits where the first is 1 to 4, else two. The last is then worth
/// 0.2 to 2 % of it.
std::string to_percents(double value);

/// Rounded to 10^place: (1234.5, 1) is "1230", (1.2345, -2) is "1.23".
std::string rounded(double value, int place);

/// The place of the last digit of a measured value that is worth showing: that of the second digit of its
/// interval's width, but no more than four digits of the value. `low` = `high`: there is no interval, and
/// three digits.
int last_place(double value, double low, double high);

/// How many significant digits of a value are left by rounding to a place: 1 to 4.
int digits_to(double value, int place);

/// As printed: without zeros at the end, six digits at most after rounding errors are taken off.
std::string as_printed(double value);

}  // namespace redbench
