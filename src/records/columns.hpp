// The columns of records, as configs ask for them.
#pragma once

#include "src/config/config.hpp"

namespace redbench {

const Columns& record_columns();

}  // namespace redbench
