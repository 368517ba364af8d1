#include "src/plan/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/config/axes.hpp"
#include "src/device/team.hpp"
#include "src/error.hpp"
#include "src/plan/fault.hpp"
#include "src/reference/oracle.hpp"

namespace redbench {
namespace {

/// Device memory that a run takes besides a case's own: what is overwritten between cold samples, which is
/// twice the L2 (src/measure/cache_flush.hpp), as much as the L2 to spare, and what a GPU's runtime keeps.
std::size_t reserved_bytes(const Device& device) {
  if (device.target() != Target::cuda) return 0;
  return 3 * device.facts().l2_bytes + (std::size_t(256) << 20);
}

std::string parameters_refusal(const Case& c) {
  for (const auto& [name, value] : c.parameters) {
    const Parameter& parameter = *find_parameter(c.variant->card, name);
    if (!takes(parameter, value))
      return fmt::format("takes {} from {}, not {}", name, range_of(parameter), value);
  }
  return {};
}

/// Where rounding may be as large as the answer, a wrong result would pass the check.
std::string rounding_refusal(const Case& c) {
  const Index terms = c.sizes.rounded_terms, chain = c.footprint.chain;
  if (rounding_error(*c.input.pair, terms, chain) < 1) return {};
  return fmt::format(
      "rounds {} times in a row in {}, which may lose the whole answer: no result could be checked{}",
      chain == 0 ? terms - 1 : std::min(chain, terms - 1), c.input.pair->result->name,
      chain == 0 ? " (no shorter chain is stated with Queue::chain)" : "");
}

std::string memory_refusal(const Case& c, const Devices& devices) {
  const Device& device = devices.of(*c.variant);
  const int gpus = gpus_of(c.input);
  const std::size_t inputs = ceil_div(input_bytes(c.sizes), std::size_t(gpus));
  std::size_t needed = inputs + c.sizes.result + c.footprint.scratch_bytes() + reserved_bytes(device);
  if (device.target() != Target::cuda)
    needed = needed * std::size_t(gpus) + inputs;  // the inputs as they were made lie in the same memory
  if (needed > device.free_bytes())
    return fmt::format("needs {} bytes, the device has {} free", needed, device.free_bytes());
  // The host has the inputs, a copy of the result, and the oracle's state for each result. Where GPUs are several it has
  // a block of inputs at a time, and its states beside those of all.
  const std::size_t checked_with = std::size_t(c.sizes.m) * c.input.pair->oracle->state_bytes;
  const double in_a_block = std::min(1.0, double(inputs_at_once) / double(std::max<Index>(c.input.n, 1)));
  const std::size_t made =
      gpus > 1 ? std::size_t(in_a_block * double(input_bytes(c.sizes))) + checked_with : inputs;
  std::size_t of_host = made + c.sizes.result + checked_with + c.sizes.reference;
  if (device.target() != Target::cuda) of_host += needed - inputs;
  if (of_host > devices.host.free_bytes())
    return fmt::format("needs {} bytes of the host's memory, which has {} free", of_host,
                       devices.host.free_bytes());
  return {};
}

/// A mistake in a variant's `run`, with its file.
std::string mistake_of(const Case& c, const std::string& what) {
  return c.variant->source + ": `run` " + what;
}

bool launches_nothing(const Case& c, const Device& device) {
  return device.target() != Target::host && c.footprint.launches.empty() && c.footprint.library_calls.empty();
}

/// What no device has and no record can hold.
std::string scratch_refusal(const Footprint& asked) {
  constexpr std::size_t most_bytes = std::size_t(1) << 48;  // more than any device's memory
  for (const std::size_t bytes : asked.scratch)
    if (bytes > most_bytes) return fmt::format("needs {} bytes of scratch memory", bytes);
  return {};
}

/// What `run` asks for by mistake and no record can hold. A count below zero has wrapped.
std::string mistake_in_run(const Case& c, const Device& device) {
  const Footprint& asked = c.footprint;
  const auto mistake = [&](const std::string& what) { return mistake_of(c, what); };
  if (asked.chain < 0) return mistake(fmt::format("states a chain of {} operators; 0 or more", asked.chain));
  for (const std::size_t bytes : asked.scratch)
    if (Index(bytes) < 0)
      return mistake(fmt::format("asks for {} bytes of scratch memory; 0 or more", Index(bytes)));
  if (launches_nothing(c, device) && c.sizes.result > 0)
    return mistake("launches nothing while it is planned");
  for (const LaunchFacts& launch : asked.launches) {
    const Grid& grid = launch.grid;
    const auto of_launch = [&](const std::string& what) {
      return mistake(fmt::format("launches {} with {}", launch.kernel, what));
    };
    if (grid.blocks < 1) return of_launch(fmt::format("{} blocks; 1 to 2^31 - 1", grid.blocks));
    if (grid.threads < 1) return of_launch(fmt::format("blocks of {} threads; 1 or more", grid.threads));
    if (Index(grid.shared_bytes) < 0)
      return of_launch(fmt::format("{} bytes of shared memory; 0 or more", Index(grid.shared_bytes)));
    for (const auto& [name, bytes] :
         {std::pair("bytes_read", grid.bytes_read), {"bytes_written", grid.bytes_written}})
      if (!std::isfinite(bytes) || bytes < 0)
        return of_launch(fmt::format("{} = {}; a number from 0", name, bytes));
  }
  return {};
}

}  // namespace

std::size_t input_bytes(const InputSizes& sizes) { return sizes.values + sizes.labels + sizes.offsets; }

std::string variant_refusal(const Case& c, const Problem& problem, const Devices& devices) {
  const Device& device = devices.of(*c.variant);
  const InputSpec& input = c.input;
  const Card& card = c.variant->card;
  const std::string accumulator = input.axes.value("accumulator", "");
  if (!input.pair)
    return fmt::format("{} has no {} of {}{}", problem.name, name_of(input.op), name_of(input.type),
                       accumulator.empty() ? "" : " accumulated in " + accumulator);
  if (const int gpus = gpus_of(input); gpus > 1 && c.variant->on_host())
    return fmt::format("is of the CPU, not of {} GPUs", gpus);
  else if (gpus > devices.gpus) return fmt::format("takes {} GPUs, this run has {}", gpus, devices.gpus);
  if (!c.variant->built_for(device.target())) {
    if (device.target() == Target::host) return "needs a GPU or a modelled one (-d cuda, -d simt)";
    return fmt::format("is not built for {}", target_names[std::size_t(device.target())]);
  }
  const Instance* const instance = c.variant->instance(device.target(), input.type, input.op);
  if (!instance) return fmt::format("is not built for {} of {}", name_of(input.op), name_of(input.type));
  if (!instance->run)
    return fmt::format("`{}` of {}: {}", name_of(input.op), name_of(input.type), instance->refusal);
  if (input.pair->accumulates && !card.narrow)
    return "gives a sum in the type of its values, not in " + accumulator;
  const int capability = device.facts().capability;
  if (capability > 0 && capability < card.minimum_capability)
    return fmt::format("needs compute capability {:.1f}, {} has {:.1f}", card.minimum_capability / 10.0,
                       device.facts().name, capability / 10.0);
  if (card.maximum_n > 0 && c.input.n > card.maximum_n)
    return fmt::format("takes n up to {}, not {}", card.maximum_n, c.input.n);
  if (card.maximum_m > 0 && c.sizes.m > card.maximum_m)
    return fmt::format("takes m up to {}, not {}", card.maximum_m, c.sizes.m);
  return parameters_refusal(c);
}

std::string launch_refusal(const LaunchFacts& launch, const DeviceFacts& facts) {
  const Grid& grid = launch.grid;
  constexpr Index most_blocks = (Index(1) << 31) - 1;
  if (grid.blocks > most_blocks)
    return fmt::format("a launch of {} blocks; a grid has 1 to 2^31 - 1", grid.blocks);
  if (grid.threads > facts.max_threads_per_block)
    return fmt::format("blocks of {} threads; {} allows 1 to {}", grid.threads, facts.name,
                       facts.max_threads_per_block);
  const std::size_t shared = grid.shared_bytes + launch.static_shared_bytes;
  if (shared > facts.shared_bytes_per_block)
    return fmt::format("{} bytes of shared memory per block; {} allows {}", shared, facts.name,
                       facts.shared_bytes_per_block);
  if (launch.resident_blocks < 1)
    return fmt::format("no block of {} threads fits a multiprocessor of {}: too {} {}", grid.threads,
                       facts.name, launch.limiter == "shared memory" ? "much" : "many", launch.limiter);
  if (grid.cooperative && grid.blocks > Index(facts.multiprocessors) * launch.resident_blocks)
    return fmt::format("{} blocks must be resident at once; {} holds {}", grid.blocks, facts.name,
                       Index(facts.multiprocessors) * launch.resident_blocks);
  return {};
}

std::string footprint_refusal(Case& c, const Devices& devices) {
  Device& device = devices.of(*c.variant);
  CaseQueue queue(device, c.parameters, c.footprint);
  const int gpus = gpus_of(c.input);
  const RankScope first(Rank{0, gpus});  // which has the most inputs
  Operands operands;
  operands.n = part_of(c.input.n, 0, gpus).count;
  operands.m = c.sizes.m;
  operands.form = c.sizes.form;
  // A planning queue has no memory behind its pointers: code that reads there is a mistake of its author.
  std::string fault;
  try {
    fault = fault_in(c.variant->source + ": `run`", [&] { c.instance->run(queue, operands); });
    if (!fault.empty())
      fault = mistake_of(c, "ends with a signal while it is planned, when no memory is there: " + fault);
  } catch (const Refusal& refusal) {
    return refusal.what();
  } catch (const DeviceError& error) {
    return error.what();
  } catch (const std::exception& error) {
    fault = mistake_of(c, std::string("throws while it is planned: ") + error.what());
  } catch (...) {
    fault = mistake_of(c, "throws what is no std::exception while it is planned");
  }
  const auto refused_for = [&](const std::string& mistake) {
    c.footprint = {};
    c.is_mistake = true;
    return mistake;
  };
  if (!fault.empty()) return refused_for(fault);
  if (gpus > 1 && !first.was_asked()) return "is of one GPU";
  if (gpus > 1 && first.reached && devices.in_processes)
    return "reaches the memory of all GPUs, which is of one process: run it without mpirun";
  if (gpus > 1 && devices.in_processes && c.sizes.result * std::size_t(gpus) >= std::size_t(1) << 31)
    return "MPI joins results of less than 2 GiB: run it without mpirun";
  if (const std::string mistake = mistake_in_run(c, device); !mistake.empty()) return refused_for(mistake);
  if (const std::string refusal = scratch_refusal(c.footprint); !refusal.empty()) {
    c.footprint = {};
    return refusal;
  }
  if (launches_nothing(c, device)) return "launches nothing, as no result is due";
  for (const LaunchFacts& launch : c.footprint.launches)
    if (std::string refusal = launch_refusal(launch, device.facts()); !refusal.empty()) return refusal;
  if (std::string refusal = rounding_refusal(c); !refusal.empty()) return refusal;
  return memory_refusal(c, devices);
}

}  // namespace redbench
