# least_NAME of everything that the build needs and that may be too old: those of Debian 12, the oldest system that is
# tested. Configuring refuses what is older, and `redbench doctor` names it.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/least_versions least_versions)
foreach(line ${least_versions})
  string(REPLACE " " ";" line "${line}")
  list(GET line 0 name)
  list(GET line 1 least_${name})
endforeach()

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS ${least_g++})
  message(FATAL_ERROR "The compiler is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}: g++ ${least_g++} or later "
                      "is needed (CXX=g++-${least_g++}), whose options the modelled device is made of")
endif()
