#include "src/records/fields.hpp"

#include <map>

#include "src/plan/plan.hpp"
#include "src/records/derived.hpp"
#include "src/records/record.hpp"
#include "src/simt/counters.hpp"

namespace redbench {
namespace {

using Kind = FieldKind;
using Fields = std::vector<Field>;

/// By instrument.
std::map<std::string, Fields>& instrument_fields() {
  static std::map<std::string, Fields> fields;
  return fields;
}

template <std::size_t N>
std::vector<std::string> texts(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

void append(Fields& to, Fields more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

constexpr const char* untimed = "a device without time (`simt`)";
constexpr const char* not_graph = "another mode than `graph`";
constexpr const char* not_counted =
    "`measure.counters` is off, the device counts nothing, or the case is of several GPUs";

/// Which case it is, and how it ended.
Fields case_and_outcome_fields() {
  return {
      {.name = "schema", .kind = Kind::whole, .meaning = "the version of these fields"},
      {.name = "case",
       .kind = Kind::whole,
       .meaning = "the place in the plan, by which tables are sorted",
       .null_where = "no plan"},
      {.name = "session",
       .kind = Kind::whole,
       .meaning =
           "the session that made it, by its place among `sessions` in `run.json`; the first, 0, where a "
           "file has no such field",
       .is_derived = true},
      {.name = "key", .kind = Kind::text, .meaning = "variant, axes and parameters in one line"},
      {.name = "variant", .kind = Kind::text, .meaning = "what was measured: the path of its kernel's file"},
      {.name = "problem", .kind = Kind::text, .meaning = "what it computes"},
      {.name = "n", .kind = Kind::whole, .meaning = "number of inputs", .is_axis = true},
      {.name = "type", .kind = Kind::text, .meaning = "data type of an input", .is_axis = true},
      {.name = "operator", .kind = Kind::text, .meaning = "what inputs are combined by", .is_axis = true},
      {.name = "axes",
       .kind = Kind::object,
       .meaning = "the problem's own axes; each is a column of the tables"},
      {.name = "parameters",
       .kind = Kind::object,
       .meaning = "the variant's launch parameters; each is a column, too"},
      {.name = "tuned",
       .kind = Kind::flag,
       .meaning = "whether these are of a tuned file (docs/tuning.md)",
       .is_axis = true,
       .is_derived = true},
      {.name = "tuned_at",
       .kind = Kind::text,
       .meaning = "the point at which they were found, and how the SHA-256 of that file begins",
       .null_where = "not tuned"},
      {.name = "seed", .kind = Kind::whole, .meaning = "of the inputs"},
      {.name = "device", .kind = Kind::text, .meaning = "where it ran, as `-d` names it", .is_axis = true},
      {.name = "hardware", .kind = Kind::text, .meaning = "that device's name"},
      {.name = "openmp_threads",
       .kind = Kind::whole,
       .meaning = "threads that OpenMP has for a CPU algorithm (OMP_NUM_THREADS)",
       .null_where = "not a CPU algorithm, or an older redbench made it"},
      {.name = "others_sampling",
       .kind = Kind::whole,
       .meaning = "other GPUs of the host that worked on cells of the same call meanwhile, at most at once",
       .null_where = "one GPU made the run"},
      {.name = "mode",
       .kind = Kind::text,
       .meaning = "`cold`, `warm` or `graph`",
       .is_axis = true,
       .allowed = texts(mode_names)},
      {.name = "outcome",
       .kind = Kind::text,
       .meaning = "`passed`, `wrong`, `failed`, `timeout` or `unsupported`. Only a passed case has times.",
       .allowed = texts(outcome_names)},
      {.name = "reason", .kind = Kind::text, .meaning = "why it has not passed", .null_where = "it passed"},
  };
}

/// Of cases that have passed.
Fields time_fields() {
  Fields all{
      {.name = "time_ns",
       .meaning = "the median over the forks of their samples' medians: device work from the first launch to "
                  "the end of the last, without what the two events around it cost (`taken_off_ns`)",
       .null_where = untimed,
       .label = "time",
       .unit = "µs",
       .scale = 1e3,
       .digits = Digits::by_interval,
       .published = {{"time", "ms", 1e6}, {"time", "us", 1e3}, {"time", "ns", 1}}},
      {.name = "time_low_ns",
       .meaning = "95 % confidence interval of that median: of several forks Student's, by their medians; of "
                  "one by ranks, two of the samples themselves, and it speaks of that process alone",
       .null_where = "one fork, whose samples are too few for such an interval"},
      {.name = "time_high_ns", .meaning = "its other end", .null_where = "as for its beginning"},
      {.name = "noise_percent",
       .meaning = "half that interval in percent of the median",
       .null_where = "no interval"},
      {.name = "release_skew_ns",
       .meaning =
           "between the first and the last GPU that the release of a sample reached, by the host's clock: the "
           "median of the samples",
       .null_where = "one GPU, or a variant that waits for them, whose launches follow the release",
       .over_forks = OverForks::median},
      {.name = "clock_tick_ns",
       .meaning = "tick of the clock, from all samples that it took so far: no interval is narrower; in mode "
                  "graph, of one run",
       .null_where = "a CPU, or all samples alike"},
      {.name = "empty_sample_ns",
       .meaning = "a sample in which nothing is done, in the same cell and mode: the median of 9 to 31",
       .null_where = untimed,
       .over_forks = OverForks::median},
      {.name = "taken_off_ns",
       .meaning = "what each sample was longer by: `empty_sample_ns`, in mode graph shared by the runs of a "
                  "graph; 0 where the host's launches are in the time, which hide it",
       .null_where =
           "a device without time (`simt`), or an older redbench, whose times hold `empty_sample_ns`",
       .over_forks = OverForks::median},
      {.name = "taken_off_error_ns",
       .meaning =
           "the further end of its 95 % confidence interval, at least half a tick: the interval of a time from "
           "one fork is wider by it to either side; of several forks, the medians differ by it",
       .null_where = "as for `taken_off_ns`",
       .over_forks = OverForks::median},
      {.name = "taken_off_percent",
       .meaning =
           "100 × `taken_off_ns` / (`time_ns` + `taken_off_ns`); tables show it where one is above 20; of several forks the median of theirs",
       .null_where = "as for `taken_off_ns`",
       .is_derived = true,
       .over_forks = OverForks::median,
       .label = "taken off",
       .unit = "%",
       .digits = Digits::whole},
      {.name = "forks",
       .kind = Kind::whole,
       .meaning = "processes that it was measured in",
       .null_where = untimed,
       .is_derived = true},
      {.name = "passes",
       .kind = Kind::list,
       .meaning =
           "for each fork, in which pass of its cell it was measured: 0, and 1 more for each process that "
           "died or was silent before and left the rest of the cell to another. Cases of one input share "
           "rounds where session and passes are the same",
       .null_where = "a device without time (`simt`), or an older redbench"},
      {.name = "stopped",
       .kind = Kind::text,
       .meaning =
           "why sampling ended: `precise` (the noise is at most `max_noise`), `max_samples` or `timeout`; "
           "of several forks the worst, or `forks_differ` where each is precise and their medians differ "
           "so much that `noise_percent` is above `max_noise`",
       .null_where = untimed},
      {.name = "graph_copies",
       .kind = Kind::whole,
       .meaning = "copies of the inputs that graphs run over",
       .null_where = not_graph},
      {.name = "graph_bytes", .meaning = "their bytes", .null_where = not_graph},
      {.name = "graph_beyond_l2",
       .kind = Kind::flag,
       .meaning = "whether these are two at least and more than five times the L2; where not, tables say so",
       .null_where = not_graph},
      {.name = "bandwidth_gb_per_s",
       .meaning = "(`bytes_read` + `bytes_written`) / time; 1 GB is 10^9 bytes",
       .null_where = untimed,
       .label = "effective bandwidth",
       .unit = "GB/s",
       .digits = Digits::by_interval,
       .published = {{"bandwidth", "GB/s", 1}}},
      {.name = "ns_per_input",
       .meaning = "time / n",
       .null_where = "n is 0, or a device without time",
       .label = "time per input",
       .unit = "ns",
       .digits = Digits::by_interval,
       .published = {{"time_per_input", "ns", 1}}},
  };
  for (Field& field : all) field.of_passed = true;
  return all;
}

Fields work_fields() {
  return {
      {.name = "bytes_read",
       .meaning =
           "by the problem's definition, each input once, whatever the variant moves (its own count is in "
           "`launches`)"},
      {.name = "bytes_written", .meaning = "the same for each result"},
      {.name = "error",
       .meaning = "the largest distance from the exact answer; 0 where the operator is exact",
       .of_passed = true,
       .label = "error"},
      {.name = "error_bound",
       .meaning = "what rounding may explain of it; 0 where the operator is exact",
       .of_passed = true,
       .label = "error bound"},
      {.name = "chain",
       .kind = Kind::whole,
       .meaning =
           "the longest chain of operations from an input to the result, as the variant states it: the "
           "bound follows from it",
       .null_where = "the variant states none"},
      {.name = "scratch_bytes",
       .kind = Kind::whole,
       .meaning = "memory that the variant asked for besides input and result"},
      {.name = "launches",
       .kind = Kind::list,
       .meaning = "an entry for each kernel launch, with the fields below; empty where the case was refused "
                  "or is a library's",
       .fields = launch_fields()},
      {.name = "library",
       .kind = Kind::flag,
       .meaning = "whether the variant calls a library, whose launches are not known"},
  };
}

/// What was counted, what made the record, and its samples.
Fields count_and_source_fields() {
  return {
      {.name = "counters",
       .kind = Kind::object,
       .meaning = "sums over all launches of the counters of [simt.md](../simt.md), and what follows from "
                  "them; each is a column of the tables",
       .null_where = not_counted,
       .of_passed = true,
       .fields = counter_fields()},
      {.name = "trace",
       .kind = Kind::list,
       .meaning = "the accesses of global memory by one warp, in order: `access`, `lanes`, `cache_lines`, "
                  "source `file` and `line`, and `level` where the config calls it one",
       .null_where = "the config asks for none",
       .of_passed = true},
      {.name = "kernel_file",
       .kind = Kind::text,
       .meaning = "the file of a variant that is not of this repository (`REDBENCH_KERNELS`)",
       .null_where = "it is `kernels/<variant>.cu` or `.cpp` of this repository",
       .label = "kernel file"},
      {.name = "source_hash",
       .kind = Kind::text,
       .meaning = "of the kernel's file and all that it includes from `kernels/` or beside it: of the code's "
                  "tokens; on `simt`, whose records name source lines, of the bytes"},
      {.name = "measured_by",
       .kind = Kind::text,
       .meaning = "the version of what decides the row's numbers, kernels aside: `cuda 2`; what each version "
                  "changed: [decision 15](../decisions/0015-when-a-record-is-stale.md)",
       .null_where = "an older redbench made it"},
      {.name = "measuring_hash",
       .kind = Kind::text,
       .meaning = "of the code that `measured_by` is the version of: cell, instruments, stopwatches, "
                  "device, inputs; on `simt` the model. Information: no row is stale by it",
       .null_where = "an older redbench made it"},
      {.name = "built_by",
       .kind = Kind::text,
       .meaning = "the kernel's compiler, for a GPU toolkit and architectures, and a hash of the flags",
       .null_where = "an older redbench made it"},
      {.name = "input_files",
       .kind = Kind::object,
       .meaning = "of each axis that names a file, the SHA-256 of what it held",
       .null_where = "no axis names one"},
      {.name = "samples_ns",
       .kind = Kind::list,
       .meaning =
           "every sample without `taken_off_ns`, to the tenth of a nanosecond: for each fork a list, by "
           "round; tables have their number, `samples`",
       .null_where = untimed,
       .of_passed = true},
  };
}

Fields make_case_fields() {
  Fields all = case_and_outcome_fields();
  append(all, time_fields());
  for (const auto& [instrument, fields] : instrument_fields()) append(all, fields);
  append(all, work_fields());
  append(all, count_and_source_fields());
  return all;
}

Fields make_launch_fields() {
  return {
      {.name = "kernel", .kind = Kind::text, .meaning = "the kernel's name", .label = "kernel"},
      {.name = "blocks",
       .kind = Kind::whole,
       .meaning = "blocks of the grid",
       .label = "grid",
       .unit = "blocks",
       .digits = Digits::whole,
       .published = {{"blocks", "blocks", 1}}},
      {.name = "threads",
       .kind = Kind::whole,
       .meaning = "threads of a block",
       .label = "block",
       .unit = "threads",
       .digits = Digits::whole,
       .published = {{"threads", "threads", 1}, {"threads", "per block", 1}}},
      {.name = "shared_bytes",
       .kind = Kind::whole,
       .meaning = "shared memory of a block, static and dynamic",
       .label = "shared memory",
       .unit = "bytes",
       .digits = Digits::whole,
       .published = {{"shared_bytes", "bytes", 1}}},
      {.name = "cooperative", .kind = Kind::flag, .meaning = "whether all blocks are resident at once"},
      {.name = "registers",
       .kind = Kind::whole,
       .meaning = "registers of a thread, as nvcc gives them: occupancy is by these",
       .null_where = "a modelled GPU that nvcc's are not known for: occupancy is by those of the card",
       .label = "registers",
       .unit = "per thread",
       .digits = Digits::whole,
       .published = {{"registers", "per thread", 1}}},
      {.name = "local_bytes",
       .kind = Kind::whole,
       .meaning = "local memory of a thread (spilled registers)",
       .null_where = "not a GPU"},
      {.name = "resident_blocks", .kind = Kind::whole, .meaning = "blocks that fit on a multiprocessor"},
      {.name = "occupancy",
       .meaning = "resident warps, of those that a multiprocessor can hold",
       .label = "occupancy",
       .unit = "%",
       .scale = 0.01,
       .published = {{"occupancy", "%", 0.01}}},
      {.name = "limiter",
       .kind = Kind::text,
       .meaning = "what keeps occupancy from more",
       .label = "limited by"},
      {.name = "bytes_read", .meaning = "by the author's count"},
      {.name = "bytes_written", .meaning = "the same"},
      {.name = "time_ns",
       .meaning =
           "the median of nine runs with events between the launches, less `empty_sample_ns`; what would "
           "overlap does not then: a share, not a headline",
       .null_where = "`measure.per_launch` is off, or the launches cannot be told apart",
       .of_passed = true,
       .label = "time",
       .unit = "µs",
       .scale = 1e3},
      {.name = "read_gb_per_s",
       .meaning = "`bytes_read` / time",
       .null_where = "no time, or nothing read",
       .of_passed = true,
       .is_derived = true,
       .label = "read",
       .unit = "GB/s",
       .published = {{"read_throughput", "GB/s", 1}}},
      {.name = "counters",
       .kind = Kind::object,
       .meaning = "as of the case, of this launch",
       .null_where = not_counted,
       .of_passed = true,
       .fields = counter_fields()},
      {.name = "lines",
       .kind = Kind::list,
       .meaning = "the counters that are not 0, by source line; `line` 0 is not known",
       .null_where = not_counted,
       .of_passed = true},
  };
}

Fields make_counter_fields() {
  Fields all;
  for (const std::string_view name : counter_names)
    all.push_back({.name = std::string(name),
                   .kind = Kind::whole,
                   .meaning = "docs/simt.md",
                   .null_where = not_counted_by_ncu});
  append(all, derived_count_fields());
  return all;
}

}  // namespace

FieldRegistration::FieldRegistration(std::string instrument, std::vector<Field> fields) {
  append(instrument_fields()[instrument], std::move(fields));
}

const std::vector<Field>& case_fields() {
  static const Fields all = make_case_fields();
  return all;
}

const std::vector<Field>& launch_fields() {
  static const Fields all = make_launch_fields();
  return all;
}

const std::vector<Field>& counter_fields() {
  static const Fields all = make_counter_fields();
  return all;
}

}  // namespace redbench
