// Public header of the cache simulator: no file outside src/cachesim/ includes another one of it.
//
// A machine comes from a JSON file (machine.hpp) or from a probe of this host (probe.hpp). A case of a config
// is a loop, a stream of memory accesses (loop.hpp), which goes through TLBs and caches (hierarchy.hpp,
// cache.hpp) and takes time (clock.hpp). prediction.hpp does that for the cases of a plan and prints it.
#pragma once

#include "src/cachesim/machine.hpp"
#include "src/cachesim/prediction.hpp"
#include "src/cachesim/probe.hpp"
