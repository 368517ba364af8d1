// redbench schema: which keys a config may have.
#include "src/config/schema.hpp"

#include <fmt/format.h>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/records/columns.hpp"

namespace redbench {

void add_schema(CLI::App& app, int& exit_code) {
  const auto as_markdown = std::make_shared<bool>(false);
  CLI::App& command = add_command(
      app, "schema", "the keys of a config, as JSON schema",
      "  redbench schema > configs/schema.json\n  redbench schema --markdown", exit_code, [as_markdown] {
        const Columns columns = record_columns();
        fmt::print("{}", *as_markdown ? keys_markdown(columns) : schema_text(columns));
        return exit_fine;
      });
  add_flag(command, "--markdown", *as_markdown, "as the lists of configs/README.md");
}

}  // namespace redbench
