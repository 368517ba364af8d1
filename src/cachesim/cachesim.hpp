// Public header of the cache simulator: no file outside src/cachesim/ includes another one of it.
//
// A machine comes from a JSON file (machine_file.hpp) or from a probe of this host (probe.hpp). A case of a
// config is a loop, a stream of memory accesses (loop.hpp), which goes through TLBs and caches
// (hierarchy.hpp, cache.hpp) and takes time (clock.hpp). prediction.hpp does that for the cases of a plan,
// prediction_table.hpp prints it.
#pragma once

#include "src/cachesim/machine_file.hpp"
#include "src/cachesim/prediction_table.hpp"
#include "src/cachesim/probe.hpp"
