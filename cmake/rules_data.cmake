# The rule pack: rules/*.yaml, checked and compiled by a tool of ours, embedded into the room `rules`. The tool is built
# from two of the room's own files, so that what the build checks is what programs read.
add_executable(sickbay-rules-compile apps/sickbay-rules-compile.cpp src/rules/yaml.cpp src/rules/pack.cpp src/rules/pattern.cpp)
target_include_directories(sickbay-rules-compile PRIVATE src)
target_link_libraries(sickbay-rules-compile PRIVATE model config PkgConfig::RE2)

file(GLOB rule_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rules/*.yaml)
set(rules_pack ${CMAKE_BINARY_DIR}/generated/rules_pack.cpp)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
add_custom_command(OUTPUT ${rules_pack}
  COMMAND sickbay-rules-compile ${CMAKE_SOURCE_DIR}/rules ${rules_pack}
  DEPENDS sickbay-rules-compile ${rule_files}
  COMMENT "Checking and embedding the rule pack")
target_sources(rules PRIVATE ${rules_pack})
