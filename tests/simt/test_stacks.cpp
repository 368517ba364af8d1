// Stacks of the modelled threads: where they lie, what guards them, and how many may be guarded.
#include "src/simt/stacks.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sanitizer_support.hpp"

namespace {

constexpr const char* limit_file = "/proc/sys/vm/max_map_count";

/// What this system allows, which may be a million.
long system_mappings() {
  char text[32] = {};
  const int file = ::open(limit_file, O_RDONLY | O_CLOEXEC);
  if (::read(file, text, sizeof text - 1) < 0) text[0] = 0;
  ::close(file);
  return std::strtol(text, nullptr, 10);
}

/// What the stacks are told that it allows: no more than Linux does by itself, so that all can be tried.
long most_mappings() { return std::min(system_mappings(), 65530L); }

}  // namespace

/// The C library's, by which streams open files; this program's own comes before.
extern "C" FILE* fopen64(const char* path, const char* mode) {
  if (std::string_view(path) != limit_file) return ::fopen(path, mode);
  const int file = ::memfd_create("max_map_count", MFD_CLOEXEC);
  ::dprintf(file, "%ld\n", most_mappings());
  ::lseek(file, 0, SEEK_SET);
  return ::fdopen(file, mode);
}

namespace redbench {
namespace {

using simt::stack_bytes;
using simt::StackPool;

constexpr std::size_t stacks_per_slab = 32, color_bytes = 4096;

std::size_t page() { return std::size_t(sysconf(_SC_PAGESIZE)); }
/// From one stack to the next: a guard page, the stack, and room for its top to be moved down in.
std::size_t stride() { return page() + stack_bytes + color_bytes; }

std::vector<std::byte*> allocate(StackPool& pool, std::size_t count) {
  std::vector<std::byte*> tops;
  while (tops.size() < count) tops.push_back(static_cast<std::byte*>(pool.allocate()));
  return tops;
}

/// In any guard page below a stack, however far its top was moved.
std::byte* below(std::byte* top) { return top - stack_bytes - color_bytes - 1; }

/// Whether a byte can be read, as the system finds that is asked to send it.
bool is_readable(const std::byte* address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool sent = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return sent;
}

/// All guarded stacks that the pool can have, and the first slab without guards.
struct AllGuarded {
  explicit AllGuarded(StackPool& pool) {
    for (long slab = 0; slab <= most_mappings() / 64 && unguarded.empty(); ++slab) {
      const std::vector<std::byte*> tops = allocate(pool, stacks_per_slab);
      if (pool.canary_of(tops[0] - 1)) unguarded = tops;
      else guarded += stacks_per_slab;
    }
  }
  std::size_t guarded = 0;
  std::vector<std::byte*> unguarded;
};

bool too_many_mappings() { return system_mappings() > 300'000; }

// 320 bytes times the stack's number, modulo 4096: no two of a slab alike.
TEST(Stacks, TopsAreSpreadOverAPage) {
  StackPool pool;
  const std::vector<std::byte*> tops = allocate(pool, stacks_per_slab);
  for (std::size_t i = 0; i < stacks_per_slab; ++i)
    EXPECT_EQ(tops[i], tops[0] + i * stride() - i * 320 % 4096) << i;
  EXPECT_EQ(std::uintptr_t(tops[0]) % page(), 0u);
}

TEST(Stacks, EachHasItsRoomAndAGuardBelow) {
  // What was mapped last mostly lies right behind the stacks.
  const std::size_t bytes = 16 * page();
  void* const behind = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(behind, MAP_FAILED);
  StackPool pool;
  const std::vector<std::byte*> tops = allocate(pool, stacks_per_slab);
  for (std::byte* const top : tops) {
    EXPECT_EQ(pool.canary_of(top - 1), nullptr);
    EXPECT_TRUE(is_readable(top - 1));
    EXPECT_TRUE(is_readable(top - stack_bytes));
    EXPECT_FALSE(pool.guards(top - 1));
    EXPECT_FALSE(pool.guards(top - stack_bytes));
    EXPECT_FALSE(is_readable(below(top)));
    EXPECT_TRUE(pool.guards(below(top)));
  }
  for (std::byte* const top : tops) std::fill(top - stack_bytes, top, std::byte(1));
  EXPECT_TRUE(is_readable(static_cast<const std::byte*>(behind)));
  munmap(behind, bytes);
}

// A large array's first access may land up to 1 MiB below the lowest stack.
TEST(Stacks, WhichAddressesAreGuards) {
  StackPool pool;
  std::byte* const top = allocate(pool, 1)[0];
  std::byte *const slab = top - stride(), *const end = slab + stacks_per_slab * stride();
  EXPECT_TRUE(pool.guards(slab));
  EXPECT_TRUE(pool.guards(slab + page() - 1));
  EXPECT_FALSE(pool.guards(slab + page()));
  EXPECT_FALSE(pool.guards(slab + stride() - 1));
  EXPECT_TRUE(pool.guards(slab + stride()));
  EXPECT_FALSE(pool.guards(end - 1));
  EXPECT_FALSE(pool.guards(end));
  EXPECT_TRUE(pool.guards(slab - 1));
  EXPECT_TRUE(pool.guards(slab - (1 << 20)));
  EXPECT_FALSE(pool.guards(slab - (1 << 20) - 1));
  EXPECT_FALSE(pool.guards(nullptr));
}

// One stack that two threads had would spoil both.
TEST(Stacks, WhatIsTakenBackIsGivenOutOnce) {
  StackPool pool;
  const std::vector<std::byte*> first = allocate(pool, stacks_per_slab + 8);
  pool.reclaim_all();
  const std::vector<std::byte*> again = allocate(pool, 3 * stacks_per_slab);
  const std::set<std::byte*> different(again.begin(), again.end());
  EXPECT_EQ(different.size(), again.size());
  for (std::byte* const top : first) EXPECT_TRUE(different.contains(top)) << "it is used again";
}

TEST(Stacks, APoolsMemoryIsGivenBack) {
  std::byte* top = nullptr;
  {
    StackPool pool;
    top = allocate(pool, 1)[0];
    EXPECT_TRUE(is_readable(top - 1));
  }
  EXPECT_FALSE(is_readable(top - 1));
}

// A guard costs two mappings, of which all stacks together may take three quarters of what the system allows;
// other tests' stacks may have some.
TEST(Stacks, PastTheirShareOfMappingsStacksHaveCanaries) {
  std::size_t guarded = 0;
  for (int round = 0; round < 2; ++round) {
    StackPool pool;
    const AllGuarded all(pool);
    EXPECT_GT(all.guarded, std::size_t(most_mappings() / 4));
    EXPECT_LE(all.guarded, std::size_t(most_mappings() / 8 * 3));
    if (round == 1) EXPECT_EQ(all.guarded, guarded) << "what the first pool took was given back";
    guarded = all.guarded;

    ASSERT_EQ(all.unguarded.size(), stacks_per_slab);
    std::byte *const slab = all.unguarded[0] - stride(), *const end = slab + stacks_per_slab * stride();
    for (std::size_t i = 0; i < stacks_per_slab; ++i) {
      std::byte *const top = all.unguarded[i], *const lowest = slab + i * stride() + page();
      for (const std::byte* const place : {top - 1, top - stack_bytes, slab + i * stride()}) {
        const std::uint64_t* const canary = pool.canary_of(place);
        ASSERT_EQ(static_cast<const void*>(canary), lowest) << i;
        EXPECT_TRUE(StackPool::is_whole(canary)) << i;
      }
      EXPECT_LE(lowest + sizeof(std::uint64_t), top - stack_bytes) << i;
      EXPECT_TRUE(is_readable(below(top))) << i;
    }
    EXPECT_FALSE(pool.guards(slab));
    EXPECT_EQ(pool.canary_of(end), nullptr);
    const std::vector<std::byte*> more = allocate(pool, 2 * stacks_per_slab);
    for (std::byte* const top : more) EXPECT_NE(pool.canary_of(top - 1), nullptr);
    const std::uint64_t* const seventh = pool.canary_of(all.unguarded[7] - 1);
    *const_cast<std::uint64_t*>(seventh) ^= 1;
    EXPECT_FALSE(StackPool::is_whole(seventh));
    pool.reclaim_all();
    EXPECT_TRUE(StackPool::is_whole(seventh)) << "an overflow is not held against the next thread";
  }
}

/// For as long as it lives the system gives this process some 20 mappings more.
class FewMappings {
 public:
  FewMappings() {
    memory_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    std::size_t i = 1;
    while ((i + 1) * page() < bytes_ && set(i, PROT_READ)) i += 2;
    for (int freed = 0; freed < 10; ++freed) set(i -= 2, PROT_NONE);
  }
  ~FewMappings() { munmap(memory_, bytes_); }
  FewMappings(const FewMappings&) = delete;

 private:
  bool set(std::size_t i, int protection) {
    return mprotect(static_cast<std::byte*>(memory_) + i * page(), page(), protection) == 0;
  }

  std::size_t bytes_ = std::size_t(system_mappings() + 2) * page();
  void* memory_ = nullptr;
};

// Guards that were there before the refusal are gone: what is below a stack without a guard is a canary
// alone.
TEST(Stacks, WhereTheSystemRefusesAGuardNoneOfTheSlabHasOne) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer ends the program where it finds no memory";
  if (too_many_mappings()) GTEST_SKIP() << "this system allows " << system_mappings() << " mappings";
  StackPool pool;
  std::vector<std::byte*> tops(stacks_per_slab);
  {
    const FewMappings few;
    for (std::byte*& top : tops) top = static_cast<std::byte*>(pool.allocate());
  }
  for (std::byte* const top : tops) {
    ASSERT_NE(pool.canary_of(top - 1), nullptr);
    EXPECT_TRUE(StackPool::is_whole(pool.canary_of(top - 1)));
    EXPECT_TRUE(is_readable(below(top)));
  }
}

}  // namespace
}  // namespace redbench
