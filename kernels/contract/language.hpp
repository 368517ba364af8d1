// The language of the device that a kernel file is compiled for.
#pragma once

#if defined(__CUDACC__)
#include "kernels/contract/cuda_language.hpp"
#elif defined(REDBENCH_ON_SIMT)
#include "kernels/contract/simt_language.hpp"
#endif
