// The machine that a session measures on: what tells it from another of the same model
// (docs/decisions/0016-what-two-events-cost.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/device/devices.hpp"
#include "src/json/json.hpp"

namespace redbench {

/// What NVML tells of the GPU at an address (Device::bus_id); empty for other devices, and without NVML.
Json told_by_nvml(const std::string& bus_id);

/// A GPU's board: its address, a hash of its UUID, VBIOS, power limit, ECC, MIG, persistence, NVLinks that
/// are up. Null for other devices. `told`: told_by_nvml.
Json board_facts(const std::string& bus_id, const Json& told);

/// The cores of a GPU's NUMA node; empty where the system does not say.
std::vector<int> cores_near(const std::string& bus_id, const std::string& root = "/");

/// The hash of a session's board that is known to be another one than `board`; null where there is none.
Json hash_of_other_board(const std::vector<Json>& sessions, const Json& board);

/// Why GPUs cannot share a run: two names are of one, or one is divided into MIG instances, of which a process sees one.
/// Empty where they can.
std::string why_not_shared(const std::vector<Board>& boards,
                           const std::function<Json(const std::string&)>& told = told_by_nvml);

/// CPU, memory and system, a hash of the machine's id, hypervisor, IOMMU, number of GPUs. Files are read
/// below `root`: "/", or a test's folder.
Json host_facts(const Device& host, const Json& told, const std::string& root = "/");

/// What may differ from one session to the next on one machine: the PCIe link in use, processes of others on
/// this GPU and on its neighbours, other runs of redbench.
Json surroundings(const Json& told, const std::string& root = "/");

}  // namespace redbench
