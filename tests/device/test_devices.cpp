// Devices by the name that a user writes, and what the host says of itself.
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "src/build_facts.hpp"
#include "src/device/device.hpp"
#include "src/device/devices.hpp"
#include "src/device/host_cores.hpp"
#include "src/device/host_pages.hpp"
#include "src/measure/stopwatch.hpp"
#include "src/records/record.hpp"
#include "tests/device/mapping_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::string refusal(const std::string& name) {
  return usage_error([&] { open_device(name); });
}

TEST(OpenDevice, ByName) {
  EXPECT_EQ(open_device("host")->name(), "host");
  EXPECT_EQ(open_device("simt:gtx480")->name(), "simt:gtx480");
  EXPECT_EQ(open_device("simt")->target(), Target::simt);
  EXPECT_EQ(open_device("auto")->target(), cuda_device_count() > 0 ? Target::cuda : Target::simt);
}

// CPU algorithms run beside kernels; a run on the host has one device.
TEST(OpenDevice, BesideADeviceOfKernelsIsTheHost) {
  const OpenDevices simt("simt:gtx480"), host("host");
  EXPECT_EQ(simt.kernels->name(), "simt:gtx480");
  ASSERT_TRUE(simt.host);
  EXPECT_EQ(simt.host->target(), Target::host);
  EXPECT_EQ(host.kernels->target(), Target::host);
  EXPECT_FALSE(host.host);
}

// Results lie in folders of these names.
TEST(OpenDevice, EachKindHasAFolderOfItsOwn) {
  EXPECT_EQ(open_device("host")->slug(), "host");
  EXPECT_EQ(open_device("simt:gtx480")->slug(), "simt-gtx480");
}

TEST(OpenDevice, AnUnknownNameHasItsNearestMatch) {
  EXPECT_NE(refusal("hsot").find("did you mean `host`?"), std::string::npos) << refusal("hsot");
  EXPECT_NE(refusal("simt:gtx48O").find("gtx480"), std::string::npos) << refusal("simt:gtx48O");
  for (const char* name : {"", "host:1", "auto:0", "Cuda"}) EXPECT_NE(refusal(name), "") << name;
}

TEST(OpenDevice, AllNamesThatThereAreAreTold) {
  std::string gpus;
  for (int i = 0; i + 1 < cuda_device_count(); ++i) gpus += "`cuda:" + std::to_string(i) + "`, ";
  const std::string known =
      "; known are `auto`, `host`, `simt`, `simt:a100`, `simt:gtx480`, `simt:gtx690`, "
      "`simt:h200`, `simt:k20x`, `simt:rtx3070`" +
      (cuda_device_count() > 0
           ? ", `cuda`, " + gpus + "or `cuda:" + std::to_string(cuda_device_count() - 1) + "`"
           : std::string(" or `cuda`"));
  EXPECT_EQ(refusal("hsot"), "device `hsot` is not known; did you mean `host`?" + known);
  EXPECT_EQ(refusal("sim:a100"), "device `sim:a100` is not known; did you mean `simt:a100`?" + known);
  EXPECT_EQ(refusal("nowhere"), "device `nowhere` is not known" + known);
  EXPECT_EQ(refusal("host:1"), "device `host:1` is not known; did you mean `host`?" + known);
}

TEST(OpenDevice, AGpuThatIsNotThereIsRefusedWithTheReason) {
  for (const char* name : {"cuda:99", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"})
    EXPECT_NE(refusal(name).find(std::string("`") + name + "`"), std::string::npos) << refusal(name);
  const bool is_built = std::string_view(build_facts.cuda_compiler) != "none";
  EXPECT_EQ(refusal("cuda:99").find("this redbench is built without CUDA") == std::string::npos, is_built)
      << "no GPU helps a program without CUDA: " << refusal("cuda:99");
  if (!is_built) {
    EXPECT_EQ(refusal("cuda:1x"),
              "device `cuda:1x`: this redbench is built without CUDA (configure it with -DREDBENCH_CUDA=ON); "
              "`simt` and `host` are there");
  } else {
    EXPECT_EQ(refusal("cuda:1x"), "device `cuda:1x`: after `cuda:` comes a device's number, as in `cuda:0`");
  }
}

TEST(OpenDevice, AModelledGpuRunsNoLibrary) {
  const std::unique_ptr<Device> simt = open_device("simt");
  int calls = 0;
  const auto call = [&](void*, std::size_t&, void*) { return ++calls, 0; };
  const std::string why = "a library call has no kernel of ours that the modelled device could run";
  EXPECT_EQ(message_of<DeviceError>([&] { simt->library_bytes(call); }), why);
  EXPECT_EQ(message_of<DeviceError>([&] { simt->execute_library(call, nullptr, 0); }), why);
  EXPECT_EQ(calls, 0);
}

TEST(Host, TellsItsLimits) {
  const std::unique_ptr<Device> host = make_host();
  EXPECT_GE(host->facts().multiprocessors, 1);
  EXPECT_GE(host->facts().l2_bytes, std::size_t(1) << 18);
  EXPECT_GT(host->facts().memory_bytes, host->facts().l2_bytes);
  EXPECT_GT(host->free_bytes(), 0u);
}

TEST(Host, EveryByteIsSharedOutToOneCore) {
  for (const std::size_t whole : {0u, 1u, 63u, 64u, 65u, 1000u, 4096u, 1'000'003u})
    for (const int cores : {1, 2, 3, 7, 16, 64}) {
      std::size_t end = 0, most = 0;
      for (int core = 0; core < cores; ++core) {
        const Piece piece(whole, core, cores);
        EXPECT_EQ(piece.start, end) << whole << ' ' << core << " of " << cores;
        end = piece.start + piece.bytes;
        most = std::max(most, piece.bytes);
      }
      EXPECT_EQ(end, whole) << cores;
      EXPECT_LE(most, whole / std::size_t(cores) + 64) << "a core has more than its share";
    }
}

// What is said of the CPU's rates is said of all of its cores.
TEST(Host, CountsOfCoresGoUpByFourToAllOfThem) {
  const int threads = omp_get_max_threads();
  const std::pair<int, std::vector<int>> expected[] = {
      {1, {1}}, {2, {1, 2}}, {4, {1, 4}}, {6, {1, 4, 6}}, {64, {1, 4, 16, 64}}};
  for (const auto& [all, counts] : expected) {
    omp_set_num_threads(all);
    EXPECT_EQ(core_counts(), counts) << all;
  }
  omp_set_num_threads(threads);
}

// Past the size from which all cores take part: a gap between two of them would be a wrong input.
TEST(Host, ManyCoresFillAndCopyAsOne) {
  const std::unique_ptr<Device> host = make_host();
  for (const std::size_t bytes :
       {std::size_t(100), (std::size_t(1) << 20) + 1, (std::size_t(5) << 20) + 63}) {
    std::vector<unsigned char> from(bytes), back(bytes);
    for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<unsigned char>(i * 7 >> 3);
    auto* const memory = static_cast<unsigned char*>(host->allocate(bytes + 1));
    memory[bytes] = 1;
    host->fill(memory, 9, bytes);
    EXPECT_EQ(std::count(memory, memory + bytes, 9), std::ptrdiff_t(bytes));
    host->upload(memory, from.data(), bytes);
    host->download(back.data(), memory, bytes);
    EXPECT_EQ(back, from);
    EXPECT_EQ(memory[bytes], 1);
    host->release(memory);
  }
}

/// The kernel's flags of the mapping at `address`: "rd wr mr mw me ac hg".
std::string mapping_flags(const void* address) { return mapping_says(address, "VmFlags:"); }

TEST(Host, MuchMemoryIsInHugePages) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
    GTEST_SKIP() << "a kernel without huge pages";
  const std::unique_ptr<Device> host = make_host();
  void* const much = host->allocate(std::size_t(64) << 20);
  EXPECT_EQ(std::uintptr_t(much) % (std::size_t(2) << 20), 0u);
  EXPECT_NE(mapping_flags(static_cast<char*>(much) + 4096).find(" hg"), std::string::npos)
      << mapping_flags(much);
  host->release(much);
  const HostBuffer inputs(std::size_t(64) << 20);
  EXPECT_NE(mapping_flags(inputs.data.get() + 8192).find(" hg"), std::string::npos)
      << mapping_flags(inputs.data.get() + 8192);
}

TEST(Host, PagesAreOfTheKindAskedForOrItSaysWhy) {
  const std::unique_ptr<Device> host = make_host();
  for (const std::size_t bytes : {std::size_t(1), std::size_t(5) << 20})
    for (const Pages pages : {Pages::small, Pages::huge}) {
      void* const memory = host->allocate_in(pages, bytes);
      host->fill(memory, 1, bytes);
      EXPECT_EQ(mapping_flags(memory).find(" hg") != std::string::npos, pages == Pages::huge);
      if (pages == Pages::small) {
        EXPECT_EQ(host->wrong_pages(memory), "");
      }
      host->release(memory);
    }
  void* const any = host->allocate_in(Pages::any, 1);
  EXPECT_EQ(host->wrong_pages(any), "");
  host->release(any);
}

// What the kernel says counts, not what was asked for.
TEST(Host, PagesOfTheOtherKindAreRefused) {
  PagedMemory paged = map_pages(Pages::small, std::size_t(5) << 20);
  EXPECT_EQ(paged.reserved_bytes, std::size_t(10) << 20)
      << "6 MiB in whole huge pages, and one before and after";
  EXPECT_LT(paged.reserved, paged.memory);
  std::memset(paged.memory, 1, paged.bytes);
  EXPECT_EQ(bytes_in_huge_pages(paged), 0u);
  paged.pages = Pages::huge;
  EXPECT_EQ(wrong_pages(paged).find("takes huge pages: of 6291456 bytes 0 are in huge ones of 2048 kB, says "
                                    "/proc/self/smaps (/sys/kernel/mm/transparent_hugepage/enabled "),
            0u)
      << wrong_pages(paged);
  unmap_pages(paged);
  paged = map_pages(Pages::huge, std::size_t(5) << 20);
  EXPECT_EQ(std::uintptr_t(paged.memory) % (std::size_t(2) << 20), 0u);
  std::memset(paged.memory, 1, paged.bytes);
  const bool given = wrong_pages(paged).empty();
  EXPECT_LE(bytes_in_huge_pages(paged), paged.bytes) << "more than there are were never given";
  if (given) {
    EXPECT_EQ(bytes_in_huge_pages(paged), paged.bytes);
    paged.pages = Pages::small;
    EXPECT_EQ(wrong_pages(paged).find("takes small pages: of 6291456 bytes 6291456 are in huge ones"), 0u);
  }
  unmap_pages(paged);
  if (!given) GTEST_SKIP() << "a kernel that gives no huge pages";
}

TEST(Host, CasesOfOtherPagesThanThereAreHaveNoTime) {
  const TemporaryFolder folder;
  folder.write("config.json",
               R"({"measure": {"min_samples": 1, "max_samples": 1}, "experiments": [{"problem": "multireduce",
    "variants": ["cpu_sequential", "cpu_huge_pages"], "axes": {"n": 1000}}]})");
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0) << "handed on to the program";
  const Answer answer = redbench("run config.json -q -d host -o out", folder.path());
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  const std::vector<Record> records = read_records(folder.path() + "/out/records.jsonl");
  ASSERT_EQ(records.size(), 2u);
  for (const Record& record : records) {
    const bool is_huge = record["variant"] == "multireduce/cpu_huge_pages";
    EXPECT_EQ(record["outcome"], is_huge ? "unsupported" : "passed");
    EXPECT_EQ(record["time_ns"].is_null(), is_huge);
    if (is_huge) {
      EXPECT_EQ(record["reason"].get<std::string>().find("takes huge pages: of 2097152 bytes 0 are"), 0u)
          << record["reason"];
    }
  }
}

TEST(Host, TellsALibraryCallToWhoeverListens) {
  const std::unique_ptr<Device> host = make_host();
  const auto call = [](void*, std::size_t&, void*) { return 0; };
  int launches = 0;
  host->execute_library(call, nullptr, 0);
  host->listen([&] { ++launches; });
  host->execute_library(call, nullptr, 0);
  EXPECT_EQ(launches, 1);
  host->listen({});
  host->execute_library(call, nullptr, 0);
  EXPECT_EQ(launches, 1);
}

TEST(Host, TimesWhatItIsGiven) {
  const std::unique_ptr<Device> host = make_host();
  const std::unique_ptr<Stopwatch> stopwatch = make_stopwatch(*host);
  int runs = 0;
  EXPECT_GT(stopwatch->sample(Mode::cold, false, [&] { ++runs; }), 0);
  EXPECT_EQ(runs, 1);
  stopwatch->sample(Mode::warm, false, [&] { ++runs; });
  EXPECT_EQ(runs, 3) << "warm runs the work once before";
}

}  // namespace
}  // namespace redbench
