// The subcommands, a function for each, which adds it to the command line and runs nothing. When the command
// line is parsed, the subcommand that was given does its work and sets `exit_code` (src/error.hpp). A user's
// mistake is thrown as UsageError, which run_command_line() turns into a message and exit code 2.
#pragma once

namespace CLI {
class App;
}

namespace redbench {

void add_list(CLI::App& app, int& exit_code);
void add_describe(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_verify(CLI::App& app, int& exit_code);
void add_profile(CLI::App& app, int& exit_code);
void add_schema(CLI::App& app, int& exit_code);
void add_results(CLI::App& app, int& exit_code);
void add_tables(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_merge(CLI::App& app, int& exit_code);
void add_best(CLI::App& app, int& exit_code);
void add_selftest(CLI::App& app, int& exit_code);
void add_claims(CLI::App& app, int& exit_code);
void add_fields(CLI::App& app, int& exit_code);
void add_tune(CLI::App& app, int& exit_code);
void add_build(CLI::App& app, int& exit_code);
void add_try(CLI::App& app, int& exit_code);
void add_new_variant(CLI::App& app, int& exit_code);
void add_cachesim(CLI::App& app, int& exit_code);
void add_reproduce(CLI::App& app, int& exit_code);
void add_why(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);
void add_help(CLI::App& app, int& exit_code);

}  // namespace redbench
