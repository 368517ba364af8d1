// Which names a new variant may have: its name is that of a struct in a file that sees kernels/variant.hpp.
#pragma once

#include <string>

namespace redbench {

/// Why no variant can have this name, as "`i32` is a name of redbench"; empty where one can.
std::string why_no_variant_name(const std::string& stem);

}  // namespace redbench
