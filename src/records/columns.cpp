#include "src/records/columns.hpp"

#include "src/records/fields.hpp"

namespace redbench {

const Columns& record_columns() {
  static const Columns columns{quantity_names(), column_names()};
  return columns;
}

}  // namespace redbench
