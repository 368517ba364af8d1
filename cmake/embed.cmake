# Puts configs/devices/*.json into the program, so that a moved binary still knows its modelled GPUs.
function(embed_device_models output)
  file(GLOB models CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/configs/devices/*.json)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${models})
  set(entries "")
  foreach(model ${models})
    get_filename_component(name ${model} NAME_WE)
    file(READ ${model} text)
    string(APPEND entries "    {\"${name}\", R\"json(${text})json\"},\n")
  endforeach()
  list(LENGTH models count)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"src/simt/device_models.hpp\"
namespace redbench::simt {
const DeviceModelText device_models[] = {
@entries@    {nullptr, nullptr}};
const std::size_t device_model_count = @count@;
}  // namespace redbench::simt
")
endfunction()
