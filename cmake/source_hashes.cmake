# The hashes by which a record knows what made it. Of each variant: of its file and of every header that it includes,
# directly or not, from kernels/ or beside it; comments count, as records name source lines. Of what measures it, for each
# target: of the code of all files that decide its numbers, in which comments do not count. Run as a script (-P) it writes
# the table; included, it adds the step that does so when one of them changes.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)  # a script has no policies of its project's: IN_LIST would not be known
  set(follow "")
else()
  set(follow CONFIGURE_DEPENDS)
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

# The files that decide the numbers of a target's records. A new file of these folders counts for each of them, unless
# its name says otherwise.
function(measuring_files target result)
  set(folders cell device)
  # What an input holds, and what carries a variant's launches to the device.
  set(single inputs/distributions.hpp inputs/labels.cpp inputs/segments.cpp inputs/values.cpp inputs/words.hpp
             inputs/zipf.hpp plan/queue.cpp)
  set(models "")
  # How a device is found decides no number.
  set(of_others "device/(architectures|gpu_diagnosis|open_device)\\.")
  if(target STREQUAL "simt")  # has no time
    list(APPEND folders simt)
    file(GLOB models ${follow} "${SOURCE_DIR}/configs/devices/*.json")
    string(APPEND of_others "|device/(cuda|host)[^/]*$")
  else()
    list(APPEND folders instruments measure)
    if(target STREQUAL "cuda")
      string(APPEND of_others "|device/(host[^/]*|simt)\\.|measure/(host_stopwatch|movers|scattered)\\.cpp$")
    else()
      string(APPEND of_others "|device/(cuda|simt)[^/]*$|measure/(nvml\\.|.*\\.cu$)")
    endif()
  endif()
  list(TRANSFORM single PREPEND "${SOURCE_DIR}/src/")
  foreach(folder ${folders})
    foreach(ending cpp cu hpp)
      file(GLOB found ${follow} "${SOURCE_DIR}/src/${folder}/*.${ending}")
      list(APPEND single ${found})
    endforeach()
  endforeach()
  list(FILTER single EXCLUDE REGEX "/src/(${of_others})")
  list(APPEND single ${models})
  list(SORT single)
  set(${result} ${single} PARENT_SCOPE)
endfunction()

# The hash of a file's code: without comments, indentation and blank lines. What stands in quotes is kept; so is a comment
# between the ' of two numbers of a line, which then counts.
function(code_hash file result)
  file(READ "${file}" text)
  set(raw_text "R\"\\(([^)]|\\)+[^)\"])*\\)+\"")
  set(in_quotes "\"([^\"\\\n]|\\\\.)*\"|[0-9a-fA-F]'[0-9a-fA-F]|'([^'\\\n]|\\\\.)*'")
  set(comment "//[^\n]*|/\\*([^*]|\\*+[^*/])*\\*+/")
  # With the comment what stands before it: a group without a match could not be named.
  string(REGEX REPLACE "(${raw_text}|${in_quotes}|[^/]|/[^/*])(${comment})*" "\\1" text "\n${text}")
  string(REGEX REPLACE "[ \t\r]+" " " text "${text}")
  string(REGEX REPLACE " ?\n[ \n]*" "\n" text "${text}")
  string(STRIP "${text}" text)
  string(SHA256 hash "${text}")
  set(${result} ${hash} PARENT_SCOPE)
endfunction()

# 16 digits stand in a record.
function(short_hash text result)
  string(SHA256 hash "${text}")
  string(SUBSTRING ${hash} 0 16 hash)
  set(${result} ${hash} PARENT_SCOPE)
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
    short_hash("${hashes}" hash)
    shown_path("${variant}" path)
    string(REGEX REPLACE "^tests/wrong/([^/]*)/(.*)\\.[a-z]+$" "\\1/wrong_\\2" name "${path}")
    string(REGEX REPLACE "^tests/wrong/(.*)\\.[a-z]+$" "reduce/wrong_\\1" name "${name}")
    string(REGEX REPLACE "^.*/([^/]+/[^/]+)\\.[a-z]+$" "\\1" name "${name}")
    string(APPEND entries "    {\"${name}\", \"${path}\", \"${hash}\"},\n")
  endforeach()
  foreach(target cuda simt host)
    measuring_files(${target} files)
    set(hashes "")
    foreach(file ${files})
      code_hash("${file}" hash)
      string(APPEND hashes ${hash})
    endforeach()
    short_hash("${hashes}" measured_by_${target})
  endforeach()
  list(LENGTH VARIANTS count)
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include <cstddef>
namespace redbench {
struct SourceHash { const char* name; const char* path; const char* hash; };
extern const SourceHash source_hashes[] = {
@entries@    {nullptr, nullptr, nullptr}};
extern const std::size_t source_hash_count = @count@;
extern const char* const measured_by[] = {
    \"@measured_by_cuda@\", \"@measured_by_simt@\", \"@measured_by_host@\"};
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
  set(SOURCE_DIR ${CMAKE_SOURCE_DIR})
  foreach(target cuda simt host)
    measuring_files(${target} files_of_${target})
  endforeach()
  set(measuring ${files_of_cuda} ${files_of_simt} ${files_of_host})
  list(REMOVE_DUPLICATES measuring)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DOUTPUT=${output} "-DVARIANTS=${ARGN}" -P
            ${CMAKE_SOURCE_DIR}/cmake/source_hashes.cmake
    DEPENDS ${ARGN} ${measuring} ${CMAKE_SOURCE_DIR}/cmake/source_hashes.cmake
    DEPFILE ${output}.d
    COMMENT "Hashing the sources of variants and of what measures them"
    VERBATIM)
  add_custom_target(source_hashes DEPENDS ${output})  # what src/ waits for: a file's rule is known in its folder only
endfunction()
