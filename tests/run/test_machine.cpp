// What a session says of its machine, from made-up files of a system and from NVML's answers.
#include "src/run/machine.hpp"

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace redbench {
namespace {

const Json told{{"uuid", "GPU-1111"}, {"vbios", "96.00"}, {"power_limit_mw", 700'000}, {"nvlinks", 18},
                {"gpus", 2},          {"processes", 1},   {"processes_elsewhere", 3},  {"pcie_width", 16}};

// printf 'redbench GPU-1111' | sha256sum
TEST(Machine, ABoardIsKnownByAHashOfItsUuid) {
  const Json board = board_facts("0000:3b:00.0", told);
  EXPECT_EQ(board, (Json{{"pci", "0000:3b:00.0"},
                         {"uuid_hash", "76e8d8381d64407a"},
                         {"vbios", "96.00"},
                         {"power_limit_mw", 700'000},
                         {"nvlinks", 18}}));
  EXPECT_EQ(board_facts("0000:3b:00.0", Json::object())["uuid_hash"], nullptr) << "NVML tells nothing";
  EXPECT_EQ(board_facts("", told), nullptr);
}

TEST(Machine, AGpuHasTheCoresOfItsNode) {
  const TemporaryFolder root;
  root.write("sys/bus/pci/devices/0000:3b:00.0/local_cpulist", "0-2,8\n");
  EXPECT_EQ(cores_near("0000:3B:00.0", root.path()), (std::vector{0, 1, 2, 8}));
  root.write("sys/bus/pci/devices/0000:3b:00.0/local_cpulist", "all\n");
  EXPECT_EQ(cores_near("0000:3B:00.0", root.path()), std::vector<int>());
  EXPECT_EQ(cores_near("", root.path()), std::vector<int>());
}

TEST(Machine, AnotherBoardIsOneThatIsKnownToBe) {
  const auto session = [](const Json& hash) { return Json{{"board", {{"uuid_hash", hash}}}}; };
  const Json here{{"uuid_hash", "aa"}}, older = Json::object();
  EXPECT_EQ(hash_of_other_board({older, session(nullptr), session("aa"), session("bb")}, here), "bb");
  EXPECT_EQ(hash_of_other_board({older, session(nullptr), session("aa")}, here), nullptr);
  EXPECT_EQ(hash_of_other_board({session("bb")}, nullptr), nullptr) << "no GPU, or NVML tells nothing";
}

// The bug: records of one GPU that went by two names were held against each other as if two had made them.
TEST(Machine, InstancesOfOneGpuShareNoRun) {
  const Board first{0, "cuda:0", "NVIDIA H200", "0000:3b:00.0", "GPU-1"};
  Board second{1, "cuda:1", "NVIDIA H200", "0000:5d:00.0", "GPU-2"};
  const auto divided = [](const std::string& bus_id) { return Json{{"mig", bus_id == "0000:5d:00.0"}}; };
  const auto whole = [](const std::string&) { return Json{{"mig", 0}}; };
  EXPECT_EQ(why_not_shared({first, second}, whole), "");
  EXPECT_NE(why_not_shared({first, second}, divided), "");
  second.bus_id = first.bus_id;
  EXPECT_NE(why_not_shared({first, second}, whole), "");
}

// printf 'redbench 0123456789abcdef' | sha256sum
TEST(Machine, AHostIsKnownByAHashOfItsId) {
  const TemporaryFolder root;
  root.write("etc/machine-id", "0123456789abcdef\n");
  root.write("proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
  root.write("sys/class/dmi/id/sys_vendor", "Firecracker\n");
  root.write("sys/class/iommu/dmar0", "");
  const Json host = host_facts(*make_host(), told, root.path());
  EXPECT_EQ(host["machine_hash"], "ad5e2c15b1238129");
  EXPECT_EQ(host["hypervisor"], "Firecracker");
  EXPECT_EQ(host["iommu"], true);
  EXPECT_EQ(host["gpus"], 2);
  const TemporaryFolder bare;
  const Json unknown = host_facts(*make_host(), Json::object(), bare.path());
  EXPECT_EQ(unknown["machine_hash"], nullptr);
  EXPECT_EQ(unknown["hypervisor"], "");
  EXPECT_EQ(unknown["iommu"], false);
}

TEST(Machine, OthersAtWorkAreCounted) {
  const TemporaryFolder root;
  root.write("proc/" + std::to_string(::getpid()) + "/comm", "redbench\n");
  root.write("proc/self/comm", "redbench\n");
  root.write("proc/1000000/comm", "redbench\n");
  root.write("proc/1000001/comm", "bash\n");
  EXPECT_EQ(surroundings(told, root.path()),
            (Json{{"other_runs", 1}, {"processes", 1}, {"processes_elsewhere", 3}, {"pcie_width", 16}}));
}

}  // namespace
}  // namespace redbench
