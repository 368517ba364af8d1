#include "src/records/columns.hpp"

#include "src/records/fields.hpp"

namespace redbench {

Columns record_columns() { return {quantity_names(), column_names()}; }

}  // namespace redbench
