# least_NAME of what the build needs and may be too old: the versions of Debian 12, the oldest system that is tested.
# Configuring refuses what is older, and `redbench doctor` names it.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/least_versions least_versions)
foreach(line ${least_versions})
  string(REPLACE " " ";" line "${line}")
  list(GET line 0 name)
  list(GET line 1 least_${name})
endforeach()

if(CMAKE_VERSION VERSION_LESS ${least_cmake})
  message(FATAL_ERROR "CMake is ${CMAKE_VERSION}: ${least_cmake} or later is needed")
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS ${least_g++})
  message(FATAL_ERROR "The compiler is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}: g++ ${least_g++} or later "
                      "is needed, whose options the modelled device is made of: make clean, then CXX=g++-${least_g++} make")
endif()
