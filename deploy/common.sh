# What ./run, ./test and bench/run share: saying things, installing what is missing, building. Sourced by bash, with
# `root` set to the project's directory.

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
# Colour only for people.
[[ -t 2 && -z ${NO_COLOR:-} ]] || say() { printf '==> %s\n' "$*" >&2; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }
wrong_use() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 2; }

# need_packages GROUP...: everything of these groups of deploy/packages.txt is installed afterwards, or we stop with
# the command that installs it.
need_packages() {
  command -v dpkg-query > /dev/null || die "this is no Debian or Ubuntu; install what deploy/packages.txt lists by hand, then use cmake --preset release"
  local group wanted=() missing=()
  for group in "$@"; do
    mapfile -t -O "${#wanted[@]}" wanted < <(awk -v group="$group" '$1 == group { print $2 }' "$root/deploy/packages.txt")
  done
  mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | awk '$1 == "installed" { print $2 }' | sort -u))
  ((${#missing[@]})) || return 0
  local install=(apt-get install -y --no-install-recommends "${missing[@]}")
  ((EUID == 0)) || die "some packages are missing, and only root can install them. As root: apt-get update && ${install[*]}
Then run ${0##*/} again; it needs no root itself."
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local log
  log=$(mktemp)
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update && "${install[@]}"; } 2>&1 | tee "$log" | grep --line-buffered -E '^(Get:|Setting up )' |
    sed -u -E 's/^Get:[0-9]+ [^ ]+ ([^ ]+) .*/  fetch \1/; s/^Setting up ([^ ]+).*/  set up \1/' | grep --line-buffered -v '^  fetch bookworm' >&2 || true
  dpkg-query -W "${missing[@]}" > /dev/null 2>&1 || { tail -20 "$log" >&2; die "the packages could not be installed; the end of apt-get's log is above, all of it is in $log"; }
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
