# REDBENCH_SANITIZE: for tests, never for numbers.
#   address  with the undefined behaviour sanitizer: all of src/ and the CPU algorithms, but for src/simt, which changes
#            stacks under it: that has the latter alone
#   thread   src/simt, where all threads but OpenMP's are; of these libgomp.supp takes the reports out.
# Kernels of the modelled device are compiled with -fsanitize=thread for call-backs that are the model's own
# (variants.cmake), so no sanitizer looks at them: the model does (verify --races).
set(REDBENCH_SANITIZE "" CACHE STRING "Build under sanitizers: address (with undefined), thread, or nothing")
set_property(CACHE REDBENCH_SANITIZE PROPERTY STRINGS "" address thread)
if(NOT REDBENCH_SANITIZE MATCHES "^(address|thread|)$")
  message(FATAL_ERROR "REDBENCH_SANITIZE=${REDBENCH_SANITIZE}: address, thread or nothing is expected")
endif()

# Without clang: g++ calls __sanitizer_cov_trace_pc in each basic block, which tests/fuzz counts for libFuzzer.
option(REDBENCH_FUZZ "Build the fuzzer (docs/fuzzing.md); needs REDBENCH_SANITIZE=address" OFF)
if(REDBENCH_FUZZ AND NOT REDBENCH_SANITIZE STREQUAL "address")
  message(FATAL_ERROR "REDBENCH_FUZZ=ON needs REDBENCH_SANITIZE=address")
endif()

if(REDBENCH_SANITIZE STREQUAL "address")
  add_link_options(-fsanitize=undefined -fsanitize=address)
elseif(REDBENCH_SANITIZE STREQUAL "thread")
  add_link_options(-fsanitize=thread)
endif()

set(test_timeout_s 600)
if(REDBENCH_SANITIZE)
  set(test_timeout_s 3600)
endif()

function(sanitize target)
  if(REDBENCH_SANITIZE STREQUAL "address")
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-O1;-g1;-fno-omit-frame-pointer;-fsanitize=undefined;-fno-sanitize-recover=undefined>"
      "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address>"
      "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${REDBENCH_FUZZ}>>:-fsanitize-coverage=trace-pc>")
  endif()
endfunction()

# src/simt. Without calls at entry and exit there is no stack of the sanitizer's own that a switch would confuse.
function(sanitize_model)
  if(REDBENCH_SANITIZE STREQUAL "address")
    set(options -fno-sanitize=address -fno-sanitize-coverage=trace-pc)
    list(FILTER ARGN EXCLUDE REGEX "/(model|occupancy)\\.cpp$")  # files of models: no stack is switched there
  elseif(REDBENCH_SANITIZE STREQUAL "thread")
    set(options -g1 -fsanitize=thread --param tsan-instrument-func-entry-exit=0)
  else()
    return()
  endif()
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${options})
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# The objects of a library of kernels, as `objects`. Under the thread sanitizer, whose call-backs have the names of the
# model's, one object that has those of the model within and shows none of them.
function(kernel_objects target objects)
  set(all "$<FILTER:$<TARGET_OBJECTS:${target}>,EXCLUDE,\\.gch$>")
  if(REDBENCH_SANITIZE STREQUAL "thread")
    if(NOT TARGET redbench_callbacks)
      add_library(redbench_callbacks OBJECT ${CMAKE_SOURCE_DIR}/src/simt/callbacks.cpp)
    endif()
    set(bound ${CMAKE_BINARY_DIR}/generated/${target}.o)
    add_custom_command(OUTPUT ${bound}
      COMMAND ${CMAKE_LINKER} -r -o ${bound} ${all} $<TARGET_OBJECTS:redbench_callbacks>
      COMMAND ${CMAKE_OBJCOPY} --wildcard --localize-symbol=__tsan_* --localize-symbol=__sanitizer_cov_* ${bound}
      DEPENDS ${target} redbench_callbacks $<TARGET_OBJECTS:${target}> $<TARGET_OBJECTS:redbench_callbacks>
      COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(${target}_bound DEPENDS ${bound})
    set(all ${bound})
  endif()
  set(${objects} "${all}" PARENT_SCOPE)
endfunction()
