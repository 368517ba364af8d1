// redbench fields: what the fields of a record mean.
#include <fmt/format.h>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/records/field_docs.hpp"

namespace redbench {

void add_fields(CLI::App& app, int& exit_code) {
  const auto schema = std::make_shared<bool>(false);
  CLI::App& command = add_command(
      app, "fields", "what the fields of a record mean, and where they are null",
      "  redbench fields\n  redbench fields --schema > results/record.schema.json", exit_code, [schema] {
        fmt::print("{}", *schema ? record_schema_json().dump(1) + '\n' : fields_markdown());
        return int(exit_fine);
      });
  add_flag(command, "--schema", *schema, "as the JSON schema of a record");
}

}  // namespace redbench
