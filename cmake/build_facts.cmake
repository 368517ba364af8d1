# What --version, run.json and records say of the build.

# The compiler of a target's kernels and a hash of the flags that it has for them: what a record keeps of the build.
function(built_by compiler flags result)
  string(REGEX REPLACE "[; ]+" " " flags "${flags} ${STANDARD_FLAG} sanitize=${REDBENCH_SANITIZE}")
  string(SHA256 hash "${flags}")
  string(SUBSTRING ${hash} 0 8 hash)
  set(${result} "${compiler}, flags ${hash}" PARENT_SCOPE)
endfunction()

# A row of BuildFacts::kernel_compilers. Position-independent, and what is not named by kernels/ stays inside; without the
# sanitizer's own library, which the flags of the modelled device would link in.
function(kernel_compiler program version flags link_flags result)
  string(REGEX REPLACE "[; ]+" " " row "${flags} ${STANDARD_FLAG}")
  string(REGEX REPLACE "[; ]+" " " link "${link_flags}")
  set(${result} "{\"${program}\", \"${version}\", \"${row}\", \"${link}\"}" PARENT_SCOPE)
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
    built_by("nvcc ${cuda} sm ${architectures}${other_cccl}" "${cuda_flags} ${CUDA_KERNEL_FLAGS}" built_by_cuda)
  endif()
  built_by("${compiler}" "${flags} ${SIMT_FLAGS}" built_by_simt)
  built_by("${compiler}" "${flags} ${HOST_KERNEL_FLAGS}" built_by_host)
  # One error of a template would come for each pair of type and operator.
  set(alone "-fmax-errors=5 -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -fno-semantic-interposition")
  kernel_compiler("${CMAKE_CXX_COMPILER}" "${CMAKE_CXX_COMPILER_VERSION}"
                  "${flags} ${SIMT_FLAGS} ${alone} -DREDBENCH_ON_SIMT -DREDBENCH_ALONE -UNDEBUG" "-shared" simt_compiler)
  kernel_compiler("${CMAKE_CXX_COMPILER}" "${CMAKE_CXX_COMPILER_VERSION}" "${flags} ${HOST_KERNEL_FLAGS} ${alone}"
                  "-shared -fopenmp" host_compiler)
  kernel_compiler("" "" "" "" cuda_compiler)
  if(WITH_CUDA)
    set(code "")
    foreach(architecture ${architectures})
      string(REGEX REPLACE "-.*" "" number ${architecture})
      string(APPEND code " -gencode=arch=compute_${number},code=[compute_${number},sm_${number}]")
    endforeach()
    list(TRANSFORM counted_cuda_calls PREPEND "-Xlinker --wrap=" OUTPUT_VARIABLE counted)
    string(REPLACE " " "," for_host "${alone}")
    if(REDBENCH_CCCL)
      string(APPEND code " -I${REDBENCH_CCCL}")
    endif()
    kernel_compiler("${CMAKE_CUDA_COMPILER}" "${cuda}" "${cuda_flags} ${CUDA_KERNEL_FLAGS}${code} -Xcompiler=${for_host}"
                    "-shared -cudart=shared ${counted}" cuda_compiler)
  endif()
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
    .least_versions = \"@least_versions@\",
    .kernel_compilers = {@cuda_compiler@, @simt_compiler@, @host_compiler@},
    .built_by = {\"@built_by_cuda@\", \"@built_by_simt@\", \"@built_by_host@\"},
};
}  // namespace redbench
")
endfunction()
