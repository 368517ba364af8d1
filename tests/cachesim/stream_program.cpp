// A program of nothing but a multireduce, without any library, so that Valgrind's tools see its accesses and
// no others: tests/cachesim/test_cachegrind.cpp. Alg. 2.2 over labels that a generator of 32 bits draws.
namespace {

constexpr unsigned n = 60000, m = 6000;
unsigned labels[n], values[n];
unsigned buckets[m];

unsigned multireduce() {
  unsigned state = 1;
  for (unsigned i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    labels[i] = (state >> 8) % m;
    values[i] = i;
  }
  for (unsigned l = 0; l < m; ++l) buckets[l] = 0;
  for (unsigned i = 0; i < n; ++i) buckets[labels[i]] += values[i];
  return buckets[1];
}

}  // namespace

extern "C" [[noreturn]] void _start() {
  volatile unsigned result = multireduce();
  (void)result;
  asm volatile("syscall" : : "a"(60), "D"(0));
  for (;;) {
  }
}
