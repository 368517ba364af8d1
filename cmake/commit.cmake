# The commit that the program is built from. Included, it adds the step that asks for it at every build, as it changes
# without a configure; run as a script (-P) it asks, and writes the file only where the answer is another.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)  # a script has no policies of its project's
  execute_process(
    COMMAND git --no-optional-locks -C ${SOURCE_DIR} describe --always --abbrev=12 --dirty
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT commit)
    set(commit "$ENV{REDBENCH_COMMIT}")  # told by whoever copied the source without its history
  endif()
  if(NOT commit MATCHES "^[A-Za-z0-9._-]+$")
    set(commit "unknown")
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"namespace redbench {
extern const char* const build_commit;
const char* const build_commit = \"@commit@\";
}  // namespace redbench
")
  return()
endif()

function(add_build_commit output)
  add_custom_target(build_commit
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DOUTPUT=${output} -P
            ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/commit.cmake
    BYPRODUCTS ${output}
    COMMENT "Asking for the commit")
endfunction()
