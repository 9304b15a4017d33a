# What ./run, ./test and bench/run share: saying things, installing what is missing, building. Sourced by bash, with
# `root` set to the project's directory.

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
# Colour only for people.
[[ -t 2 && -z ${NO_COLOR:-} ]] || say() { printf '==> %s\n' "$*" >&2; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }
wrong_use() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 2; }

# The packages A|B|... (deploy/packages.txt) of which none is installed.
not_installed() {
  local installed alternatives each
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | awk '$1 == "installed" { print $2 }')
  for alternatives in "$@"; do
    for each in ${alternatives//|/ }; do
      if grep -qxF -- "$each" <<< "$installed"; then continue 2; fi
    done
    printf '%s\n' "$alternatives"
  done
}
# The first of A|B|... that apt can install here; the first of all where it knows none, for apt to complain about.
first_available() {
  local each
  for each in ${1//|/ }; do
    if [[ $(apt-cache policy "$each" 2> /dev/null) == *'Candidate: '[0-9]* ]]; then
      printf '%s\n' "$each"
      return
    fi
  done
  printf '%s\n' "${1%%|*}"
}

# need_packages GROUP...: everything of these groups of deploy/packages.txt is installed afterwards, or we stop with
# the command that installs it.
need_packages() {
  command -v dpkg-query > /dev/null || die "this is no Debian or Ubuntu; install what deploy/packages.txt lists by hand, then use cmake --preset release"
  local group each wanted=() missing=() packages=() log
  for group in "$@"; do
    mapfile -t -O "${#wanted[@]}" wanted < <(awk -v group="$group" '$1 == group { print $2 }' "$root/deploy/packages.txt")
  done
  mapfile -t missing < <(not_installed "${wanted[@]}")
  ((${#missing[@]})) || return 0
  log=$(mktemp)
  # Which names there are here is known only once apt has its lists.
  ((EUID != 0)) || apt-get update > "$log" 2>&1 || true
  for each in "${missing[@]}"; do packages+=("$(first_available "$each")"); done
  local install=(apt-get install -y --no-install-recommends "${packages[@]}")
  ((EUID == 0)) || die "some packages are missing, and only root can install them. As root: apt-get update && ${install[*]}
Then run ${0##*/} again; it needs no root itself."
  say "installing ${#packages[@]} packages: ${packages[*]}"
  DEBIAN_FRONTEND=noninteractive "${install[@]}" 2>&1 | tee -a "$log" |
    sed -u -n -E 's/^Get:[0-9]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) [^ ]+ [^ ]+ \[.*/  fetch \1/p; s/^Setting up ([^ ]+).*/  set up \1/p' >&2 || true
  [[ -z $(not_installed "${packages[@]}") ]] || { tail -20 "$log" >&2; die "the packages could not be installed; the end of apt-get's log is above, all of it is in $log"; }
  rm -f "$log"
}

# build PRESET TARGET...: configures and builds, with ninja's progress to be seen.
build() {
  local preset=$1
  shift
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  configure "$preset"
  say "building $* ($preset)"
  cmake --build "$root/build/$preset" --target "$@" >&2 || die "the build failed; the compiler's words are above"
}
configure() {
  local log
  log=$(mktemp)
  (cd "$root" && cmake --preset "$1") > "$log" 2>&1 || { cat "$log" >&2; die "cmake could not configure the preset $1"; }
  rm -f "$log"
}
