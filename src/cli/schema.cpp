// redbench schema: which keys a config may have. redbench fields: what the fields of a record mean.
#include "src/config/keys.hpp"

#include <fmt/format.h>

#include "src/claims/claim_file.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/records/columns.hpp"
#include "src/records/field_docs.hpp"
#include "src/tables/text.hpp"

namespace redbench {

void add_schema(CLI::App& app, int& exit_code) {
  const auto as_markdown = std::make_shared<bool>(false), of_claims = std::make_shared<bool>(false);
  CLI::App& command =
      add_command(app,
                  {.name = "schema",
                   .what = "the keys of a config, or of a file of claims, as JSON schema",
                   .about = "Prints which keys a config may have, of which type and default, for an editor "
                            "that checks and completes them. `run` itself checks more: names of problems, "
                            "variants and columns, parameters, files.",
                   .examples = {{"redbench schema", "configs/schema.json"},
                                {"redbench schema --markdown", "the lists of configs/README.md"},
                                {"redbench schema --claims > claims_schema.json", "of files of claims"}},
                   .see = "configs/README.md, docs/claims.md"},
                  exit_code, [=] {
                    const Columns& columns = record_columns();
                    if (*of_claims) fmt::print("{}", *as_markdown ? claims_markdown() : claims_schema_text());
                    else fmt::print("{}", *as_markdown ? keys_markdown(columns) : schema_text(columns));
                    return exit_fine;
                  });
  add_flag(command, "--claims", *of_claims, "of a file of claims (configs/claims)");
  add_flag(command, "--markdown", *as_markdown, "as the lists of configs/README.md or docs/claims.md");
}

void add_fields(CLI::App& app, int& exit_code) {
  const auto schema = std::make_shared<bool>(false);
  CLI::App& command =
      add_command(app,
                  {.name = "fields",
                   .what = "what the fields of a record mean, and where they are null",
                   .about = "Explains each field of records.jsonl: its type and unit, what it means, and "
                            "when a record has none. The table stands in docs/reference/records.md, too.",
                   .examples = {{"redbench fields", "for readers"},
                                {"redbench fields --schema > record.schema.json",
                                 "as the JSON schema of a record, which every line of records.jsonl fits"}},
                   .see = "docs/reference/records.md"},
                  exit_code, [schema] {
                    if (*schema) fmt::print("{}\n", record_schema_json().dump(1));
                    else print_wrapped(fields_markdown());
                    return int(exit_fine);
                  });
  add_flag(command, "--schema", *schema, "as the JSON schema of a record");
}

}  // namespace redbench
