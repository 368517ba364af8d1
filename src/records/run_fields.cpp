#include "src/records/fields.hpp"

namespace redbench {
namespace {

using Kind = FieldKind;

constexpr const char* older = "an older redbench made the run";

}  // namespace

const std::vector<Field>& run_fields() {
  static const std::vector<Field> fields{
      {.name = "schema", .kind = Kind::whole, .meaning = "as in a record"},
      {.name = "name", .kind = Kind::text, .meaning = "the config's path below `configs/`, without `.json`"},
      {.name = "title", .kind = Kind::text, .meaning = "the config's title"},
      {.name = "config_path", .kind = Kind::text, .meaning = "the config's file, as the command line has it"},
      {.name = "config",
       .kind = Kind::object,
       .meaning = "the config as it ran, after what the command line changed; `measure` is in each session"},
      {.name = "device", .kind = Kind::object, .meaning = "the device with its limits"},
      {.name = "inputs",
       .kind = Kind::object,
       .meaning = "the SHA-256 of each input file",
       .null_where = older},
      {.name = "sessions",
       .kind = Kind::list,
       .meaning =
           "an entry for each call of `redbench` that made records, of several GPUs one for each, with the fields below",
       .null_where = older},
      {.name = "merged",
       .kind = Kind::flag,
       .meaning = "whether `redbench merge` joined it of several runs",
       .null_where = "it did not"},
  };
  return fields;
}

const std::vector<Field>& session_fields() {
  static const std::vector<Field> fields{
      {.name = "started", .kind = Kind::text, .meaning = "when it began, in UTC", .null_where = older},
      {.name = "ended",
       .kind = Kind::text,
       .meaning = "when it was done, in UTC",
       .null_where = "it is under way, or did not get to its end"},
      {.name = "measure", .kind = Kind::object, .meaning = "the options of `measure`", .null_where = older},
      {.name = "command_line", .kind = Kind::list, .meaning = "its words", .null_where = older},
      {.name = "driver",
       .kind = Kind::text,
       .meaning = "the GPU's driver; empty where there is none",
       .null_where = older},
      {.name = "build",
       .kind = Kind::object,
       .meaning =
           "version, compilers and flags of the program; NCCL's version, empty where it has none; MPI's, where "
           "processes shared the run",
       .null_where = older},
      {.name = "board",
       .kind = Kind::object,
       .meaning =
           "a GPU's board: address, a hash of its UUID, VBIOS, power limit, ECC, MIG, persistence, NVLinks "
           "that are up",
       .null_where = "not a GPU, or an older redbench"},
      {.name = "host",
       .kind = Kind::object,
       .meaning = "CPU, memory and system, a hash of the machine's id, hypervisor, IOMMU, number of GPUs",
       .null_where = older},
      {.name = "surroundings",
       .kind = Kind::object,
       .meaning =
           "the PCIe link in use, processes of others on this GPU and on its neighbours, other runs of "
           "redbench, as the session began",
       .null_where = older},
      {.name = "dirty",
       .kind = Kind::flag,
       .meaning = "whether files differed from the commit",
       .null_where = "the commit is not known"},
      {.name = "commit",
       .kind = Kind::text,
       .meaning = "what the program was built from, or `unknown`",
       .null_where = older},
      {.name = "planned_s",
       .meaning =
           "estimate of the time that the plan takes, or that part of it, in seconds, on all GPUs together",
       .null_where =
           "a part of the plan was made before, the records are another config's, or nothing was timed"},
      {.name = "shard",
       .kind = Kind::text,
       .meaning = "the part of the plan that it was to make, `2/8` ([cluster.md](../cluster.md))",
       .null_where = "all of it"},
      {.name = "gpu",
       .kind = Kind::whole,
       .meaning =
           "the number of its GPU among several that shared the cells, 2 of `cuda:2`; of modelled ones from 0",
       .null_where = "the only one of its call"},
      {.name = "processes",
       .kind = Kind::whole,
       .meaning = "of mpirun or srun that shared the run, each with a GPU of the cases of several "
                  "([cluster.md](../cluster.md))",
       .null_where = "one process had all"},
      {.name = "shared_from",
       .kind = Kind::text,
       .meaning = "the config that it made its records for ([reproduce.md](../reproduce.md))",
       .null_where = "this one"},
  };
  return fields;
}

}  // namespace redbench
