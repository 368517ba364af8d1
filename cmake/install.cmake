# What `cmake --install` puts under a prefix. The program finds share/redbench beside its own bin/ (src/own_files.hpp),
# so that the prefix may be moved.
install(TARGETS redbench RUNTIME DESTINATION bin)
set(data share/redbench)
install(DIRECTORY configs DESTINATION ${data} FILES_MATCHING PATTERN *.json PATTERN *.md)
# For `new-variant --from`, and the lines that `profile` shows.
install(DIRECTORY kernels DESTINATION ${data}
        FILES_MATCHING PATTERN *.cu PATTERN *.cpp PATTERN *.hpp PATTERN *.md PATTERN targets EXCLUDE)
install(DIRECTORY results/papers DESTINATION ${data}/results FILES_MATCHING PATTERN *.csv)
file(GLOB tuned_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} results/*/tuned.json)
foreach(file ${tuned_files})
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES ${file} DESTINATION ${data}/${folder})
endforeach()
# What `redbench best` answers from where a user has no records.
file(GLOB answers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} results/*/best results/*/fastest)
foreach(folder ${answers})
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${folder} DESTINATION ${data}/${parent}
          FILES_MATCHING PATTERN run.json PATTERN records.jsonl* PATTERN tables EXCLUDE PATTERN plots EXCLUDE)
endforeach()
install(FILES results/record.schema.json DESTINATION ${data}/results)
install(FILES src/text/unseen.inc DESTINATION ${data}/src/text)
# The shell scripts and the Python that is named here are for a source tree.
file(GLOB scripts CONFIGURE_DEPENDS scripts/*.py)
list(FILTER scripts EXCLUDE REGEX "/(carry_records|findings|machine_code|test_all)\\.py$")
install(PROGRAMS ${scripts} DESTINATION ${data}/scripts)
install(DIRECTORY scripts/report scripts/shared scripts/slurm DESTINATION ${data}/scripts
        FILES_MATCHING PATTERN *.py PATTERN *.html PATTERN *.css PATTERN *.js PATTERN *.sbatch
        PATTERN __pycache__ EXCLUDE)
install(FILES scripts/requirements.txt DESTINATION ${data}/scripts)
install(FILES README.md LICENSE CITATION.cff DESTINATION share/doc/redbench)
install(DIRECTORY docs DESTINATION share/doc/redbench FILES_MATCHING PATTERN *.md PATTERN *.svg)
install(FILES scripts/completion/redbench.bash DESTINATION share/bash-completion/completions RENAME redbench)
install(FILES scripts/completion/redbench.zsh DESTINATION share/zsh/site-functions RENAME _redbench)
install(FILES scripts/completion/redbench.fish DESTINATION share/fish/vendor_completions.d)
# A library that is not where the loader looks, as the CUDA runtime's.
set_property(TARGET redbench PROPERTY INSTALL_RPATH_USE_LINK_PATH ON)
install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1\")
execute_process(COMMAND \"$<TARGET_FILE:redbench>\" help --man COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1/redbench.1\")")

set(CPACK_PACKAGE_CONTACT "the authors of redbench")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Benchmarks of parallel reductions on GPUs and modelled GPUs")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, python3-matplotlib, python3-numpy, python3-pil, python3-jinja2, python3-jsonschema")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
