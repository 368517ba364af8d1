// The columns of records that configs may name.
#pragma once

#include "src/config/config.hpp"

namespace redbench {

const Columns& record_columns();

}  // namespace redbench
