# Compiler settings every target shares, and the libraries Sickbay stands on.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wconversion -Werror)
if(SICKBAY_SANITIZE MATCHES thread)
  # The thread sanitizer does not understand fences; Asio can do without them.
  add_compile_options(-Wno-tsan)
  add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()
if(SICKBAY_SANITIZE)
  add_compile_options(-fsanitize=${SICKBAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SICKBAY_SANITIZE})
endif()

if(SICKBAY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # so that the fuzzer sees which code it reaches
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.81 REQUIRED CONFIG COMPONENTS json url)  # its own files know every version; FindBoost does not
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CURL REQUIRED)
find_package(yaml-cpp REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)  # before 0.8
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
find_library(SOCI_CORE soci_core REQUIRED)
find_library(SOCI_SQLITE3 soci_sqlite3 REQUIRED)
find_library(SOCI_POSTGRESQL soci_postgresql REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
