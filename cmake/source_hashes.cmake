# The hash of each variant's source: of its file and of every header that it includes, directly or not, from kernels/ or
# beside it. Run as a script (-P) it writes the table; included, it adds the step that does so when one of them changes.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)  # a script has no policies of its project's: IN_LIST would not be known
endif()

# Adds to the list `result` what the file includes in quotes and the lists do not have, in the order of the includes. As
# the compiler does, looks beside the file first.
function(included_headers file result)
  set(found ${${result}})
  cmake_path(GET file PARENT_PATH folder)
  file(STRINGS "${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*\"[^\"]+\"")
  foreach(line ${lines})
    string(REGEX REPLACE "^[^\"]*\"([^\"]+)\".*" "\\1" name "${line}")
    if(EXISTS "${folder}/${name}")
      set(header "${folder}/${name}")
    elseif(name MATCHES "^kernels/" AND EXISTS "${SOURCE_DIR}/${name}")
      set(header "${SOURCE_DIR}/${name}")
    else()
      continue()
    endif()
    cmake_path(NORMAL_PATH header)
    if(NOT header IN_LIST found)
      list(APPEND found "${header}")
      included_headers("${header}" found)
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Paths of the tree relative to it, others absolute.
function(shown_path file result)
  foreach(folder kernels tests/wrong)
    set(top ${SOURCE_DIR}/${folder})
    cmake_path(IS_PREFIX top "${file}" is_below)
    if(is_below)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${SOURCE_DIR})
    endif()
  endforeach()
  set(${result} "${file}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  set(all_headers "")
  foreach(variant ${VARIANTS})
    # Those of the tree in the order of their paths; others in that of their includes, which a move does not change.
    set(found "")
    included_headers("${variant}" found)
    set(headers "")
    set(own_headers "")
    foreach(header ${found})
      shown_path("${header}" path)
      if(IS_ABSOLUTE "${path}")
        list(APPEND own_headers "${header}")
      else()
        list(APPEND headers "${header}")
      endif()
    endforeach()
    list(SORT headers)
    set(hashes "")
    foreach(part ${variant} ${headers} ${own_headers})
      file(SHA256 "${part}" hash)
      string(APPEND hashes ${hash})
    endforeach()
    list(APPEND all_headers ${headers} ${own_headers})
    string(SHA256 hash "${hashes}")
    string(SUBSTRING ${hash} 0 16 hash)
    shown_path("${variant}" path)
    string(REGEX REPLACE "^tests/wrong/([^/]*)/(.*)\\.[a-z]+$" "\\1/wrong_\\2" name "${path}")
    string(REGEX REPLACE "^tests/wrong/(.*)\\.[a-z]+$" "reduce/wrong_\\1" name "${name}")
    string(REGEX REPLACE "^.*/([^/]+/[^/]+)\\.[a-z]+$" "\\1" name "${name}")
    string(APPEND entries "    {\"${name}\", \"${path}\", \"${hash}\"},\n")
  endforeach()
  list(LENGTH VARIANTS count)
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include <cstddef>
namespace redbench {
struct SourceHash { const char* name; const char* path; const char* hash; };
extern const SourceHash source_hashes[] = {
@entries@    {nullptr, nullptr, nullptr}};
extern const std::size_t source_hash_count = @count@;
}  // namespace redbench
")
  list(REMOVE_DUPLICATES all_headers)
  list(TRANSFORM all_headers REPLACE " " "\\\\ ")
  list(JOIN all_headers " " dependencies)
  file(WRITE ${OUTPUT}.d "${OUTPUT}: ${dependencies}\n")
  return()
endif()

# Of the files of variants that follow `output`.
function(add_source_hashes output)
  list(SORT ARGN)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DOUTPUT=${output} "-DVARIANTS=${ARGN}" -P
            ${CMAKE_SOURCE_DIR}/cmake/source_hashes.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/source_hashes.cmake
    DEPFILE ${output}.d
    COMMENT "Hashing the variants' sources"
    VERBATIM)
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
    .kernel_folders = \"@REDBENCH_KERNELS@\",
};
}  // namespace redbench
")
endfunction()
