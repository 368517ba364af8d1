// The host's memory and cores as a program can see them, its caches on machines that there need not be, and
// the whole of what is said of a device that is not there.
#include <gtest/gtest.h>
#include <malloc.h>
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "src/build_facts.hpp"
#include "src/device/device.hpp"
#include "src/device/devices.hpp"
#include "src/device/host_cores.hpp"
#include "tests/probe/told_support.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::string largest_cache() { return std::to_string(make_host()->facts().l2_bytes); }

// The largest may be the first that is told or the last of eight.
TEST(HostCaches, TheLargestIsInTheUnitsOfTheSystem) {
  const TemporaryFolder folder;
  const auto told = where_caches_are(folder.path(), largest_cache);
  if (!told) GTEST_SKIP() << "this machine lets no process see other files in /sys";
  EXPECT_EQ(*told, "33554432") << "32 MiB where nothing is told";
  const auto with = [&](const std::string& index, const std::string& size) {
    folder.write("index" + index + "/size", size + "\n");
    return where_caches_are(folder.path(), largest_cache);
  };
  EXPECT_EQ(with("0", "48K"), "49152");
  EXPECT_EQ(with("3", "20K"), "49152");
  EXPECT_EQ(with("2", "3M"), "3145728");
  EXPECT_EQ(with("1", "3071K"), "3145728");
  EXPECT_EQ(with("7", "40000K"), "40960000");
  EXPECT_EQ(with("8", "64M"), "40960000") << "no processor has so many";
  EXPECT_EQ(with("0", "39063K"), "40960000");
  EXPECT_EQ(with("0", "39M"), "40960000");
  EXPECT_EQ(with("0", "40M"), "41943040");
}

std::size_t threads() {
  return std::size_t(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

// To wake other cores takes longer than to fill what is small, so from a MiB on there are as many threads as
// cores, and before it no more than there were.
TEST(HostCores, TakePartFromAMebibyteOn) {
  constexpr std::size_t mebi = std::size_t(1) << 20;
  const int before = omp_get_max_threads();
  const std::unique_ptr<Device> host = make_host();
  auto* const memory = static_cast<unsigned char*>(host->allocate(mebi));
  const auto filled_by = [&](unsigned char byte, std::size_t bytes) {
    std::memset(memory, 0, mebi);
    host->fill(memory, byte, bytes);
    EXPECT_EQ(std::count(memory, memory + bytes, byte), std::ptrdiff_t(bytes));
    EXPECT_EQ(std::count(memory + bytes, memory + mebi, 0), std::ptrdiff_t(mebi - bytes));
    return threads();
  };
  const std::size_t many = threads() + 6;
  omp_set_num_threads(int(many));
  EXPECT_LT(filled_by(3, 100), many);
  EXPECT_LT(filled_by(4, mebi - 1), many);
  omp_set_num_threads(1);
  EXPECT_LT(filled_by(5, mebi), many) << "one core alone wakes no other";
  omp_set_num_threads(int(many));
  EXPECT_GE(filled_by(6, mebi), many);
  omp_set_num_threads(before);
  host->release(memory);
}

// Small pages below 4 MiB, or a few bytes would take 2 MiB.
TEST(HostMemory, IsInWholePagesAndNoMore) {
  constexpr std::size_t mebi = std::size_t(1) << 20, page = 4096;
  const std::unique_ptr<Device> host = make_host();
  for (const auto& [bytes, pages] : {std::pair(std::size_t(0), std::size_t(1)),
                                     {1, 1},
                                     {page, 1},
                                     {page + 1, 2},
                                     {mebi + 1, 257},
                                     {4 * mebi - 1, 1024}}) {
    void* const memory = host->allocate(bytes);
    EXPECT_EQ(std::uintptr_t(memory) % page, 0u) << bytes;
    const std::size_t usable = ::malloc_usable_size(memory);
    EXPECT_GE(usable, pages * page) << bytes;
    EXPECT_LT(usable, (pages + 3) * page) << bytes;
    host->release(memory);
  }
  void* const much = host->allocate(5 * mebi);
  EXPECT_GE(::malloc_usable_size(much), 6 * mebi) << "whole huge pages";
  host->release(much);
  const std::size_t endless = std::size_t(1) << 62;
  const std::string why = "host: no room for 4611686018427387904 bytes";
  if (!is_sanitized())  // which ends the program there
    EXPECT_EQ(message_of<DeviceError>([&] { host->allocate(endless); }), why);
  EXPECT_EQ(message_of<DeviceError>([&] { host->allocate_in(Pages::small, endless); }), why);
  EXPECT_EQ(message_of<DeviceError>(
                [&] { host->execute_library([](void*, std::size_t&, void*) { return 1; }, nullptr, 0); }),
            "host: the library call failed");
}

// The share of each of three cores of ten lines of 64 bytes, the last of which is a byte.
TEST(HostCores, HaveWholeLinesInOrder) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (int core = 0; core < 3; ++core) {
    const Piece piece(577, core, 3);
    pieces.emplace_back(piece.start, piece.bytes);
  }
  EXPECT_EQ(pieces, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 192}, {192, 192}, {384, 193}}));
  EXPECT_EQ(Piece(65, 0, 4).bytes, 0u);
  EXPECT_EQ(Piece(65, 1, 4).bytes, 64u);
  EXPECT_EQ(Piece(65, 3, 4).bytes, 1u);
}

TEST(DeviceNames, AllAreToldWhereOneIsNotKnown) {
  std::vector<std::string> known{"auto",        "host",      "simt",      "simt:a100",    "simt:gtx480",
                                 "simt:gtx690", "simt:h200", "simt:k20x", "simt:rtx3070", "cuda"};
  for (int gpu = 0; gpu < cuda_device_count(); ++gpu) known.push_back("cuda:" + std::to_string(gpu));
  const auto refusal = [](const std::string& name) { return usage_error([&] { open_device(name); }); };
  const std::string rest = "; known are " + alternatives(known);
  EXPECT_EQ(refusal("nope"), "device `nope` is not known" + rest);
  EXPECT_EQ(refusal("hots"), "device `hots` is not known; did you mean `host`?" + rest);
  EXPECT_EQ(refusal("host:"), "device `host:` is not known; did you mean `host`?" + rest);
  EXPECT_EQ(refusal("auto:0"), "device `auto:0` is not known; did you mean `auto`?" + rest);
  if (std::string_view(build_facts.cuda_compiler) == "none") {
    EXPECT_EQ(cuda_device_count(), 0);
    for (const std::string name : {"cuda", "cuda:0", "cuda:x"})
      EXPECT_EQ(refusal(name), "device `" + name +
                                   "`: this redbench is built without CUDA (configure it with "
                                   "-DREDBENCH_CUDA=ON); `simt` and `host` are there");
  }
}

TEST(DeviceNames, TheHostIsBesideEveryOtherDevice) {
  OpenDevices host("host"), simt("simt:k20x");
  EXPECT_EQ(&host.devices().kernels, &host.devices().host);
  EXPECT_EQ(host.devices().host.name(), "host");
  EXPECT_EQ(simt.devices().kernels.name(), "simt:k20x");
  EXPECT_EQ(simt.devices().host.name(), "host");
}

}  // namespace
}  // namespace redbench
