// redbench new-variant: a file of one's own, the smallest whole kernel of a problem or a copy of a variant.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "src/build_facts.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/new_variant/kernel_text.hpp"
#include "src/own_files.hpp"
#include "src/records/output_file.hpp"
#include "src/registry.hpp"
#include "src/shell.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

struct NewVariantFlags {
  std::string name, from, kernels;
};

const fs::path repository_mark = fs::path("kernels") / "variant.hpp";

/// The folder that holds kernels/variant.hpp: the working directory or one above it, else where redbench was
/// built; none where that is gone.
std::optional<fs::path> find_repository() {
  for (fs::path folder = fs::current_path();; folder = folder.parent_path()) {
    if (fs::exists(folder / repository_mark)) return folder;
    if (folder == folder.parent_path()) break;
  }
  return fs::exists(build_facts.source_dir / repository_mark)
             ? std::optional<fs::path>(build_facts.source_dir)
             : std::nullopt;
}

fs::path repository() {
  if (const auto found = find_repository()) return *found;
  throw UsageError(
      "new-variant: no redbench repository here: neither the working directory nor one above it has " +
      repository_mark.string() + "; --kernels DIR is a folder of your own");
}

/// "problem/stem"
struct VariantName {
  std::string problem, stem;
};

VariantName checked_name(const std::string& name) {
  const auto fail = [&](const std::string& why) { throw UsageError("new-variant " + name + ": " + why); };
  const std::size_t slash = name.find('/');
  if (slash == name.npos) fail("a name has its problem before it, as in reduce/" + name);
  const std::string problem = name.substr(0, slash), stem = name.substr(slash + 1);
  const std::vector<std::string> known = problem_names();
  if (std::find(known.begin(), known.end(), problem) == known.end())
    fail("there is no problem `" + problem + "`" + nearest_match(problem, known) + "; there are " +
         alternatives(known));
  // What means something else in C++ or CUDA is for the compiler to refuse.
  if (!RE2::FullMatch(stem, "[A-Za-z](_?[A-Za-z0-9])*_?") || stem.size() > 60)
    fail("`" + stem + "` cannot name a C++ struct: letters, digits and single _, a letter first, at most 60");
  if (const Variant* const taken = find_variant(name))
    fail("there is a variant of that name already: " + taken->source);
  return {problem, stem};
}

/// The headers in a file's own folder that it includes must be in the folder of its copy, too.
void check_own_headers(const fs::path& file, const std::string& text, const fs::path& folder) {
  for (const std::string& name : included_names(text))
    if (fs::exists(file.parent_path() / name) && !fs::exists(folder / name))
      throw UsageError("new-variant: " + file.string() + " includes \"" + name + "\", which " +
                       folder.string() + " does not have; copy that there first");
}

KernelText copy_of(const std::string& from, const VariantName& name, const fs::path& folder) {
  const Variant* const variant = find_variant(from);
  if (!variant || variant->source.empty())
    throw UsageError("--from " + from + ": there is no such variant" + nearest_variant(from) +
                     "; redbench list names them");
  if (variant->problem != name.problem)
    throw UsageError("new-variant " + name.problem + "/" + name.stem + ": " + from +
                     " solves another problem; start from a variant of " + name.problem);
  const fs::path root = own_files().empty() ? repository() : find_repository().value_or(own_files());
  const fs::path file = root / variant->source;
  KernelText text{variant->source, "yours, from " + from + ": ", read_text(file)};
  check_own_headers(file, text.text, folder);
  bring_kernels_along(text, root);
  return text;
}

void print_next(const NewVariantFlags& flags, const VariantName& name, const fs::path& file) {
  if (!flags.kernels.empty()) {
    fmt::print(" is written. Next:\n  redbench try {}\n  redbench verify --kernels {} -b '^{}$'\n",
               shell_quoted(file.string()), shell_quoted(file.parent_path().parent_path().string()),
               flags.name);
    return;
  }
  const fs::path root = repository();
  fmt::print(
      " is written. Next{0}:\n"
      "  cmake --build build\n"
      "  build/redbench describe {1}\n"
      "  build/redbench verify -b '^{1}$'\n",
      root == fs::current_path() ? "" : ", in " + root.string(), flags.name);
  if (name.problem == "reduce")  // what the config reduces
    fmt::print("  build/redbench run configs/quick.json --set 'experiments[0].variants=[\"{}\"{}]'\n",
               name.stem, flags.from.empty() ? "" : ", \"" + short_name(flags.from) + "\"");
}

int new_variant(const NewVariantFlags& flags) {
  const VariantName name = checked_name(flags.name);
  const fs::path kernels = flags.kernels.empty()
                               ? repository() / "kernels"
                               : fs::absolute(fs::path(flags.kernels) / "").lexically_normal().parent_path();
  const fs::path folder = kernels / name.problem;
  for (const char* ending : {".cu", ".cpp"})
    if (const fs::path taken = folder / (name.stem + ending); fs::exists(taken))
      throw UsageError("new-variant " + flags.name + ": " + taken.string() + " is there already");

  const KernelText from =
      flags.from.empty() ? smallest_kernel(name.problem) : copy_of(flags.from, name, folder);
  const fs::path file = folder / (name.stem + fs::path(from.file).extension().string());
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UsageError(folder.string() + ": cannot be made: " + error.message());
  write_file(file.string(), renamed(from, name.stem));
  fmt::print("{}", file.string());
  print_next(flags, name, file);
  return exit_fine;
}

}  // namespace

void add_new_variant(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<NewVariantFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "new-variant",
       .what = "a file of your own: a whole small kernel, or a copy of a variant",
       .about = "Writes one file, the smallest whole kernel of a problem or with --from a copy of a variant, "
                "and says how to try it. No other edit is needed: it is then listed, tested on every "
                "input shape, measured and plotted like any other.",
       .writes = "PROBLEM/NAME.cu (.cpp of a CPU variant's copy) in --kernels, or the repository's kernels/; "
                 "no file that is there",
       .examples = {{"redbench new-variant reduce/mine --kernels ~/kernels", "in a folder of your own"},
                    {"redbench new-variant reduce/nearby --from reduce/harris3",
                     "in the repository, from a kernel that is near"}},
       .see = "docs/adding_a_variant.md"},
      exit_code, [flags] { return new_variant(*flags); });
  add_argument(command, "PROBLEM/NAME", flags->name, "the new variant's name, as in reduce/mine");
  add_option(command, "--from", flags->from, "VARIANT",
             "the variant that is copied, with its kernel (the problem's smallest whole kernel)");
  add_option(command, "--kernels", flags->kernels, "DIR",
             "your own folder of kernels, made as needed (the repository's)");
}

}  // namespace redbench
