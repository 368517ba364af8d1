# The hash of each variant's source: of its file and of every header of kernels/ that it includes, directly or not.
# Run as a script (-P) it writes the table; included, it adds the step that does so when a kernel file changes.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)  # a script has no policies of its project's: IN_LIST would not be known
endif()

function(kernel_headers file result)
  set(found ${${result}})
  file(STRINGS ${file} lines REGEX "^#include \"kernels/[^\"]+\"")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" header ${line})
    if(EXISTS ${SOURCE_DIR}/${header} AND NOT ${SOURCE_DIR}/${header} IN_LIST found)
      list(APPEND found ${SOURCE_DIR}/${header})
      kernel_headers(${SOURCE_DIR}/${header} found)
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB variants RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/kernels/*/*.cu ${SOURCE_DIR}/kernels/*/*.cpp
       ${SOURCE_DIR}/tests/wrong/*.cu ${SOURCE_DIR}/tests/wrong/*/*.cu)
  list(SORT variants)
  set(entries "")
  foreach(variant ${variants})
    set(headers "")
    kernel_headers(${SOURCE_DIR}/${variant} headers)
    list(SORT headers)
    set(hashes "")
    foreach(part ${SOURCE_DIR}/${variant} ${headers})
      file(SHA256 ${part} hash)
      string(APPEND hashes ${hash})
    endforeach()
    string(SHA256 hash "${hashes}")
    string(SUBSTRING ${hash} 0 16 hash)
    string(REGEX REPLACE "^kernels/(.*)\\.[a-z]+$" "\\1" name ${variant})
    string(REGEX REPLACE "^tests/wrong/([^/]*)/(.*)\\.[a-z]+$" "\\1/wrong_\\2" name ${name})
    string(REGEX REPLACE "^tests/wrong/(.*)\\.[a-z]+$" "reduce/wrong_\\1" name ${name})
    string(APPEND entries "    {\"${name}\", \"${variant}\", \"${hash}\"},\n")
  endforeach()
  list(LENGTH variants count)
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include <cstddef>
namespace redbench {
struct SourceHash { const char* name; const char* path; const char* hash; };
extern const SourceHash source_hashes[] = {
@entries@    {nullptr, nullptr, nullptr}};
extern const std::size_t source_hash_count = @count@;
}  // namespace redbench
")
  return()
endif()

function(add_source_hashes output)
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/*.cu ${CMAKE_SOURCE_DIR}/kernels/*.cpp
       ${CMAKE_SOURCE_DIR}/kernels/*.hpp ${CMAKE_SOURCE_DIR}/tests/wrong/*.cu
       ${CMAKE_SOURCE_DIR}/tests/wrong/*/*.cu)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DOUTPUT=${output} -P
            ${CMAKE_SOURCE_DIR}/cmake/source_hashes.cmake
    DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/source_hashes.cmake
    COMMENT "Hashing the variants' sources")
  add_custom_target(source_hashes DEPENDS ${output})  # what src/ waits for: a file's rule is known in its folder only
endfunction()

# What --version and run.json say of the build.
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
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"src/build_facts.hpp\"
namespace redbench {
const BuildFacts build_facts{
    .version = \"@PROJECT_VERSION@\",
    .build_type = \"@CMAKE_BUILD_TYPE@\",
    .compiler = \"@CMAKE_CXX_COMPILER_ID@ @CMAKE_CXX_COMPILER_VERSION@\",
    .flags = \"@CMAKE_CXX_FLAGS@ @CMAKE_CXX_FLAGS_RELEASE@\",
    .cuda_compiler = \"@cuda@\",
    .cuda_flags = \"@cuda_flags@\",
    .cuda_architectures = \"@architectures@\",
    .source_dir = \"@CMAKE_SOURCE_DIR@\",
};
}  // namespace redbench
")
endfunction()
