# MPI, for a process for each GPU (src/device/processes.hpp); without it, such runs are refused. -DMPI_HOME=FOLDER names one.
set(MPI_CXX_SKIP_MPICXX ON)  # its calls of C++ are gone from newer ones
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  message(STATUS "MPI: ${MPI_CXX_LIBRARIES}")
else()
  message(STATUS "MPI: none (-DMPI_HOME=FOLDER names one)")
endif()
