# Source properties hold for one directory, so each device's library has one of its own (kernels/targets/*).

# Flags of the modelled device: the call-backs of -fsanitize=thread and trace-pc are its own (src/simt), the
# sanitizer's library is not linked. Without scalar replacement of aggregates a value of 8 or 16 bytes is one access,
# as it is under nvcc; without sibling calls and merged tails each call into the model returns to the line
# that made it, and without folding each kernel keeps its name. Accesses stay as they are written: neither joined,
# turned into library calls nor copied onto several paths; and basic blocks stay in the order of the source, in which
# the parts of a warp take turns. Variables are tracked, though that is a fifth of the compiler's time: without it the
# static ones of functions have no place, by which the model knows what is shared.
set(SIMT_FLAGS -x c++ -g -fsanitize=thread --param=tsan-instrument-func-entry-exit=0
               --param=tsan-distinguish-volatile=1 -fsanitize-coverage=trace-pc
               -fno-tree-sra -fno-ipa-sra -fno-optimize-sibling-calls -fno-crossjumping
               -fno-tree-tail-merge -fno-ipa-icf -fno-reorder-blocks -fno-reorder-blocks-and-partition
               -fno-thread-jumps -fno-code-hoisting -fno-tree-pre -fno-tree-vectorize
               -fno-tree-slp-vectorize -fno-store-merging -fno-tree-loop-distribute-patterns
               -Wno-unknown-pragmas)

set(HOST_KERNEL_FLAGS -O3 -fopenmp)
set(CUDA_KERNEL_FLAGS --expt-relaxed-constexpr -lineinfo)
if(WITH_CUDA AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
  list(APPEND CUDA_KERNEL_FLAGS --compress-mode=size)  # else two thirds of the program
endif()

function(name_variants)
  foreach(file ${ARGN})
    get_filename_component(stem ${file} NAME_WE)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(problem ${folder} NAME)
    set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS "REDBENCH_VARIANT_NAME=\"${problem}/${stem}\"")
  endforeach()
endfunction()

# tests/wrong/<problem>.cu and <problem>.<subject>.cu have a <problem>/wrong_<name> for each WRONG_VARIANT.
function(name_wrong_variants)
  foreach(file ${ARGN})
    get_filename_component(problem ${file} NAME_WE)
    set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS "REDBENCH_VARIANT_NAME=\"${problem}/wrong\"")
  endforeach()
endfunction()

function(simt_sources target)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  target_compile_options(${target} PRIVATE ${SIMT_FLAGS})
  target_compile_definitions(${target} PRIVATE REDBENCH_ON_SIMT)
endfunction()
