# Puts files into the program, so that a moved binary still has them. Writes `output`: `one`s, of the `type` {name, text}
# that the header declares, and `one`_count. Of each file's path `name_pattern` finds the name.
function(embed_texts output header type one name_pattern)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(entries "")
  foreach(file ${ARGN})
    string(REGEX REPLACE "${name_pattern}" "\\1" name ${file})
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  list(LENGTH ARGN count)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"@header@\"
const @type@ @one@s[] = {
@entries@    {nullptr, nullptr}};
const std::size_t @one@_count = @count@;
")
endfunction()

function(embed_device_models output)
  file(GLOB models CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/configs/devices/*.json)
  embed_texts(${output} src/simt/model.hpp redbench::simt::BuiltInText redbench::simt::device_model
              "^.*/([^/]+)\\.json$" ${models})
endfunction()

# By architecture.
function(embed_registers output)
  file(GLOB tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/targets/cuda/registers/*.json)
  embed_texts(${output} src/simt/model.hpp redbench::simt::BuiltInText redbench::simt::register_table
              "^.*/([^/]+)\\.json$" ${tables})
endfunction()

# By shell.
function(embed_completions output)
  file(GLOB completions CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/completion/redbench.*)
  embed_texts(${output} src/cli/completion.hpp redbench::CompletionScript redbench::completion_script
              "^.*/redbench\\.([a-z]+)$" ${completions})
endfunction()

# By problem.
function(embed_smallest_kernels output)
  embed_texts(${output} src/new_variant/kernel_text.hpp redbench::SmallestKernel redbench::smallest_kernel
              "^.*/([^/]+)/[^/]+$" ${ARGN})
endfunction()
