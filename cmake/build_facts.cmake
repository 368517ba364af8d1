# What --version, run.json and records say of the build.

# The compiler of a target's kernels and a hash of the flags that it has for them: what a record keeps of the build.
function(built_by compiler flags result)
  string(REGEX REPLACE "[; ]+" " " flags "${flags} ${STANDARD_FLAG} sanitize=${REDBENCH_SANITIZE}")
  string(SHA256 hash "${flags}")
  string(SUBSTRING ${hash} 0 8 hash)
  set(${result} "${compiler}, flags ${hash}" PARENT_SCOPE)
endfunction()

function(add_build_facts output)
  set(cuda "none")
  set(cuda_flags "")
  set(architectures "")
  if(WITH_CUDA)
    set(cuda "${CMAKE_CUDA_COMPILER_VERSION}")
    set(cuda_flags "${CMAKE_CUDA_FLAGS} ${CMAKE_CUDA_FLAGS_RELEASE}")
    set(architectures "${CMAKE_CUDA_ARCHITECTURES}")
    if(architectures STREQUAL "native" AND CMAKE_CUDA_ARCHITECTURES_NATIVE)
      set(architectures "${CMAKE_CUDA_ARCHITECTURES_NATIVE}")  # of the GPUs that are here
    endif()
  endif()
  set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  set(flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_RELEASE}")
  set(built_by_cuda "")
  if(WITH_CUDA)
    built_by("nvcc ${cuda} sm ${architectures}" "${cuda_flags} ${CUDA_KERNEL_FLAGS}" built_by_cuda)
  endif()
  built_by("${compiler}" "${flags} ${SIMT_FLAGS}" built_by_simt)
  built_by("${compiler}" "${flags} ${HOST_KERNEL_FLAGS}" built_by_host)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"src/build_facts.hpp\"
namespace redbench {
const BuildFacts build_facts{
    .version = \"@PROJECT_VERSION@\",
    .build_type = \"@CMAKE_BUILD_TYPE@\",
    .compiler = \"@compiler@\",
    .flags = \"@flags@\",
    .cuda_compiler = \"@cuda@\",
    .cuda_flags = \"@cuda_flags@\",
    .cuda_architectures = \"@architectures@\",
    .source_dir = \"@CMAKE_SOURCE_DIR@\",
    .kernel_folders = \"@REDBENCH_KERNELS@\",
    .least_versions = \"@least_versions@\",
    .built_by = {\"@built_by_cuda@\", \"@built_by_simt@\", \"@built_by_host@\"},
};
}  // namespace redbench
")
endfunction()
