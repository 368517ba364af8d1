# The step of the build that hashes the sources of the variants that follow `output`, and of what measures them.
find_package(Python3 ${least_python3} REQUIRED COMPONENTS Interpreter)

function(add_source_hashes output)
  set(script ${CMAKE_SOURCE_DIR}/cmake/source_hashes.py)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${Python3_EXECUTABLE} ${script} ${CMAKE_SOURCE_DIR} ${output} ${ARGN}
    DEPENDS ${script} ${CMAKE_SOURCE_DIR}/cmake/measuring.json ${ARGN}
    DEPFILE ${output}.d
    COMMENT "Hashing the sources of variants and of what measures them"
    VERBATIM)
  add_custom_target(source_hashes DEPENDS ${output})  # what src/ waits for: a file's rule is known in its folder only
endfunction()
