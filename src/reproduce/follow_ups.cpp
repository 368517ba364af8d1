#include "src/reproduce/follow_ups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/own_files.hpp"
#include "src/shell.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// What the command prints goes to `printed`.
std::string shell_command(const std::vector<std::string>& words, const std::string& printed = "/dev/null") {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quoted(word));
  return fmt::format("{} > {}", fmt::join(quoted, " "), shell_quoted(printed));
}

std::string own_program() { return fs::read_symlink("/proc/self/exe").string(); }

std::string own_script(const char* name) { return (own_files() / "scripts" / name).string(); }

std::string folder_of(const Figure& figure, const std::string& root) { return root + "/" + figure.name; }

/// Predictions by the cache simulator, for the configs that ask for them. The first step probes the host,
/// alone, as a probe takes times; the others read what it found.
void add_predictions(const std::vector<Figure>& made, const std::string& root, std::vector<FollowUp>& steps) {
  std::string probed;
  for (const Figure& figure : made) {
    if (figure.machines.empty()) continue;
    const std::string run = folder_of(figure, root), out = run + "/cachesim";
    std::vector<std::string> words{own_program(), "cachesim", figure.config, "--run",
                                   run,           "--out",    out,           "--replace"};
    for (const std::string& axis : figure.job.request.overrides.axes)
      words.insert(words.end(), {"--axis", axis});
    Stage stage = Stage::draw;
    for (const std::string& machine : figure.machines) {
      const bool is_known = machine == "host" && !probed.empty();
      words.insert(words.end(), {"--machine", is_known ? probed : machine});
      if (machine != "host" || is_known) continue;
      probed = out + "/host.json";
      stage = Stage::probe;
    }
    steps.push_back({stage, "the caches of " + figure.name, shell_command(words), out + "/predictions.md",
                     "`redbench doctor --caches` says what is known of this host's"});
  }
}

constexpr const char* no_python = "`redbench doctor` says whether Python has what it takes";

void add_plots(const std::vector<Figure>& made, const std::string& root, std::vector<FollowUp>& steps) {
  for (const Figure& figure : made)
    steps.push_back({Stage::draw, "the plots of " + figure.name,
                     shell_command({own_python(), own_script("make_plots.py"), "--redbench", own_program(),
                                    folder_of(figure, root)}),
                     "", no_python});
}

void add_ladders(const std::vector<Figure>& made, const std::string& root, const std::string& model,
                 std::vector<FollowUp>& steps) {
  for (const Figure& figure : made) {
    if (!figure.is_ladder) continue;
    const std::string file = folder_of(figure, root) + "/why.json";
    steps.push_back({Stage::draw, "the steps of " + figure.name,
                     shell_command({own_program(), "why", figure.config, "--device", model, "--results",
                                    folder_of(figure, root), "--json"},
                                   file),
                     file, "`redbench why --help` says what it counts"});
  }
}

/// `name`: of the paper, or of them all.
void add_report(const std::string& name, const std::vector<std::string>& folders, const std::string& root,
                const std::string& file, std::vector<FollowUp>& steps) {
  std::vector<std::string> words{own_python(), own_script("make_report.py"), "--redbench", own_program(),
                                 "--claims",   root + "/claims.json",        "--output",   file};
  words.insert(words.end(), folders.begin(), folders.end());
  steps.push_back({Stage::report, "the report of " + name, shell_command(words), file, no_python});
}

}  // namespace

std::vector<FollowUp> follow_ups_of(const std::vector<Figure>& made, const std::vector<std::string>& papers,
                                    const std::string& root, const std::string& model) {
  std::vector<FollowUp> steps;
  if (made.empty()) return steps;
  add_predictions(made, root, steps);
  add_ladders(made, root, model, steps);
  add_plots(made, root, steps);
  steps.push_back({Stage::judge, "the claims",
                   shell_command({own_program(), "claims", root, "--json", root + "/claims.json", "--md",
                                  root + "/claims.md"}),
                   root + "/claims.md", "`redbench claims --help` says what it reads"});
  std::vector<std::string> folders;
  for (const std::string& paper : papers) {
    if (std::ranges::none_of(made, [&](const Figure& figure) { return figure.paper == paper; })) continue;
    folders.push_back(root + "/" + paper);
    add_report(paper, {folders.back()}, root, folders.back() + "/report.html", steps);
  }
  if (papers.size() > 1) add_report("all papers", folders, root, root + "/report.html", steps);
  std::ranges::stable_sort(steps, {}, &FollowUp::stage);
  return steps;
}

}  // namespace redbench
