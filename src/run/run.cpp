#include "src/run/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "src/error.hpp"
#include "src/plan/cost.hpp"
#include "src/records/output_folder.hpp"
#include "src/records/record.hpp"
#include "src/run/run_facts.hpp"
#include "src/run/worker.hpp"
#include "src/tables/run_tables.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// A device without time of its own gives one record per case, in the first mode.
std::vector<Mode> modes_of(const Case& one, const Work& work) {
  const std::vector<Mode>& modes = work.config.measure.modes;
  const bool timed = work.devices->devices().of(*one.variant).target() != Target::simt;
  return timed ? modes : std::vector<Mode>{modes.front()};
}

/// The plan's records: where each belongs, and which an earlier run has made.
class Ledger {
 public:
  explicit Ledger(const Work& work) {
    for (std::size_t c = 0; c < work.plan.cells.size(); ++c) {
      const Cell& cell = work.plan.cells[c];
      first_number_.push_back(cases_);
      for (std::size_t i = 0; i < cell.cases.size(); ++i) {
        const Case& one = cell.cases[i];
        const Device& device = work.devices->devices().of(*one.variant);
        for (const Mode mode : modes_of(one, work)) {
          places_[record_identity(cell, one, device, mode)] = {c, i, mode};
          ++records_;
        }
      }
      cases_ += cell.cases.size();
    }
  }

  std::size_t records() const { return records_; }

  /// Of earlier records, those that the plan still asks for; each leaves what is to be done.
  std::vector<Record> keep(std::vector<Record> earlier) {
    std::vector<Record> kept;
    for (Record& record : earlier) {
      const auto found = places_.find(record_identity(record));
      if (found == places_.end()) continue;
      number(record, found->second.cell, found->second.number);
      places_.erase(found);
      kept.push_back(std::move(record));
    }
    return kept;
  }

  std::vector<CellTask> tasks() const {
    std::map<std::size_t, CellTask> tasks;
    for (const auto& [identity, place] : places_) {
      CellTask& task = tasks[place.cell];
      task.cell = place.cell;
      task.wanted.emplace_back(place.number, place.mode);
    }
    std::vector<CellTask> in_order;
    for (auto& [cell, task] : tasks) in_order.push_back(std::move(task));
    return in_order;
  }

  /// The case's place in the plan, by which tables are sorted.
  void number(Record& record, std::size_t cell, std::size_t of) const {
    record["case"] = first_number_[cell] + of;
  }

 private:
  struct Place {
    std::size_t cell, number;
    Mode mode;
  };
  std::map<std::string, Place> places_;
  std::vector<std::size_t> first_number_;
  std::size_t cases_ = 0, records_ = 0;
};

/// "62 passed, 1 wrong"
std::string outcome_counts(const std::vector<Record>& records) {
  std::vector<std::string> counts;
  for (const std::string_view outcome : outcome_names) {
    const auto count = std::count_if(records.begin(), records.end(),
                                     [&](const Record& record) { return record["outcome"] == outcome; });
    if (count) counts.push_back(fmt::format("{} {}", count, outcome));
  }
  return fmt::format("{}", fmt::join(counts, ", "));
}

std::string folder_of(const RunOptions& options, const Work& work) {
  if (!options.out.empty()) return fs::path(options.out).lexically_normal().string();
  return results_folder(work.devices->kernels->slug(), work.config.name);
}

/// Every file that is asked for, so that one that cannot be written is known before anything runs.
void probe(const RunOptions& options) {
  for (const std::string& path : {options.csv, options.markdown, options.json}) {
    if (path.empty()) continue;
    if (fs::exists(path)) {
      if (::access(path.c_str(), W_OK) != 0 || fs::is_directory(path))
        throw UsageError(path + ": cannot be written");
    } else {
      write_file(path, "");
      ::unlink(path.c_str());
    }
  }
}

void write_where_asked(const RunOptions& options, const RunTables& tables) {
  for (const auto& [path, text] : {std::pair(&options.csv, &tables.csv),
                                   {&options.markdown, &tables.markdown},
                                   {&options.json, &tables.json}})
    if (!path->empty()) write_file(*path, *text);
}

/// The records that a resumed run goes on from, and run.json as it was.
std::vector<Record> earlier_records(const RunOptions& options, const OutputFolder& folder, Json& facts) {
  if (!options.resume || !folder.has_run()) return {};
  const Json before = folder.read_run();
  facts["started"] = before.value("started", facts["started"]);
  facts["resumed"] = before.value("resumed", Json::array());
  facts["resumed"].push_back(utc_now());
  return read_records(folder.records());
}

}  // namespace

int run(const RunOptions& options) {
  Job job{.kind = Job::Kind::run, .request = options.request};
  const Work work = make_work(job);
  const Device& device = *work.devices->kernels;
  if (options.dry_run) {
    fmt::print("{} on {} ({})\n{}", work.config.title, device.name(), device.facts().name,
               format_plan(work.plan, seconds_of(work.plan, work.config.measure, work.devices->devices())));
    return exit_fine;
  }

  const OutputFolder folder(folder_of(options, work));
  const std::vector<PublishedNumber> published = published_for(work.config.name);
  probe(options);
  Json facts = run_facts(work.config, work.devices->devices());
  Ledger ledger(work);
  const std::vector<Record> kept = ledger.keep(earlier_records(options, folder, facts));
  if (!options.resume) folder.clear();
  write_file(folder.run_json(), facts.dump(2) + '\n');
  RecordFile file(folder.records(), kept);

  const std::vector<CellTask> tasks = ledger.tasks();
  const bool complete = run_tasks(job, work, tasks, 1, !options.quiet,
                                  [&](std::size_t cell, std::size_t number, Record record) {
                                    ledger.number(record, cell, number);
                                    file.append(record);
                                  });

  const StoredRun stored = read_stored_run(folder.path());
  if (!complete) {
    fmt::print(stderr, "interrupted: {} of {} records are in {}; the same command with --resume goes on\n",
               stored.records.size(), ledger.records(), folder.path());
    return exit_interrupted;
  }
  facts["ended"] = utc_now();
  write_file(folder.run_json(), facts.dump(2) + '\n');

  const RunTables tables = make_tables(stored, published, options.width);
  write_tables(stored, tables, false);
  write_where_asked(options, tables);
  if (!options.quiet)
    fmt::print("{}\n{}; records and tables are in {}\n", tables.terminal, outcome_counts(stored.records),
               folder.path());
  return exit_code_of(stored.records);
}

}  // namespace redbench
