#!/usr/bin/env bash
# Runs Swift 6 on this package. A swift on the PATH is preferred (macOS, a Swift image). Otherwise Debian 13's compiler is
# used, unpacked into a cache folder outside of the repository.
#   toolchain.sh build|test|run ARGS...   runs `swift build`, `swift test` or `swift run`
#   toolchain.sh command NAME             prints the command that runs a built executable, one word a line
#     With SLUICE_AT=FOLDER, these are for the package in that folder.
#   toolchain.sh --prepare                only fetches (about 540 MB, 2.5 GB unpacked)
#   toolchain.sh --has                    exit code 0 if a toolchain is there; fetches nothing
# Nothing is installed: apt works in folders of its own, and packages are unpacked, not configured. The compiler runs in
# a chroot inside private mount and process namespaces, so nothing stays mounted. Exit code 77: no toolchain to be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
here=${SLUICE_AT:-$here}
no() { echo "toolchain.sh: $*" >&2; exit 77; }
verb=${1:---prepare}; (($#)) && shift
# macOS has what the stubs stand in for.
[[ $(uname) != Darwin ]] || unset SLUICE_STUBS

if [[ ${SLUICE_SWIFT:-} != cache ]] && swift --version 2>/dev/null | grep -qE 'Swift version ([6-9]|[1-9][0-9])'; then
  case $verb in
    --prepare | --has) exit 0 ;;
    command) echo "$(cd "$here" && swift build --show-bin-path)/$1"; exit 0 ;;
    *) cd "$here" && exec swift "$verb" "$@" ;;
  esac
fi

[[ -r /etc/debian_version ]] || no "no Swift 6 on the PATH, and this is not Debian"
for tool in apt-get dpkg-deb dpkg unshare chroot flock; do command -v "$tool" >/dev/null || no "no Swift 6 on the PATH, and no $tool to fetch it"; done
arch=$(dpkg --print-architecture)
cache=${SLUICE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sluice}/swift-debian13-$arch
root=$cache/root
[[ $verb == --has ]] && { [[ -e $cache/ready-3 ]]; exit; }
map=(); ((EUID == 0)) || map=(--map-root-user)
unshare --mount --pid --fork "${map[@]}" true 2>/dev/null || no "this machine allows no namespaces"

fetch() {
  local keys=/usr/share/keyrings/debian-archive-keyring.gpg mirror
  # The mirror of this machine; in one-line format or in deb822.
  mirror=$(grep -rhoE '(https?|mirror\+file|file):/+[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 | tr -d ' ' || true)
  [[ -n $mirror ]] || no "no Debian mirror in /etc/apt"
  [[ -e $keys ]] || no "no $keys"
  # An interrupted attempt, or one for an earlier list of packages, left no stamp: begin again.
  rm -rf "$root" "$cache/apt"; mkdir -p "$root" "$cache"/apt/{state/lists/partial,cache/archives/partial}
  echo "deb [signed-by=$keys] $mirror trixie main" >"$cache/apt/sources.list"
  : >"$cache/apt/status" # says that nothing is installed, so apt takes every dependency
  local own=(-o "Dir::Etc::SourceList=$cache/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
    -o "Dir::State=$cache/apt/state" -o "Dir::State::status=$cache/apt/status" -o "Dir::Cache=$cache/apt/cache"
    -o APT::Get::AllowUnauthenticated=false -o APT::Install-Recommends=false -o APT::Sandbox::User= -o Acquire::Retries=3 -o Acquire::Languages=none)
  apt-get "${own[@]}" -qq update
  apt-get "${own[@]}" -qq --yes --download-only install swiftlang libc6-dev libstdc++-14-dev bash coreutils git libc-bin locales
  for d in bin sbin lib lib64; do mkdir -p "$root/usr/$d"; ln -sfn "usr/$d" "$root/$d"; done
  for deb in "$cache"/apt/cache/archives/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --no-same-owner --keep-directory-symlink; done
  rm -rf "$cache/apt" "$root"/usr/share/{doc,man,locale,info}
  mkdir -p "$root"/{proc,dev,tmp,root,src,build}; chmod 1777 "$root/tmp"
  ln -sfn bash "$root/usr/bin/sh" # git runs its helpers by a shell
  for d in null zero urandom random; do : >"$root/dev/$d"; done
  gzip -d "$root/usr/share/i18n/charmaps/UTF-8.gz"
  inside "$here" "$cache" localedef -i fa_IR -f UTF-8 fa_IR.UTF-8 # for the tests in Persian
  touch "$cache/ready-3"
}

# Runs a command in the chroot, with sdks/ as /src (the contract is next to swift/) and the second folder as /build.
inside() {
  unshare --mount --pid --fork "${map[@]}" bash -c '
    root=$1 here=$2 build=$3; shift 3
    mount -t proc proc "$root/proc"
    mount --bind "$(dirname "$here")" "$root/src"
    mount --bind "$build" "$root/build"
    for d in null zero urandom random; do mount --bind "/dev/$d" "$root/dev/$d"; done
    exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/libexec/swift/bin:/usr/bin:/usr/sbin LANG=C.UTF-8 TERM="${TERM:-dumb}" ${SLUICE_STUBS:+SLUICE_STUBS=1} "$@"
  ' toolchain "$root" "$@"
}

mkdir -p "$cache"
exec 9>"$cache/lock"; flock 9 # two runs at once: the second waits
[[ -e $cache/ready-3 ]] || fetch
flock --unlock 9; exec 9>&-
[[ $verb == --prepare ]] && exit 0

# Builds lie in the cache, one folder for each checkout and set of stubs, and are kept between runs.
build=$cache/build/$(printf %s "$here" | sha256sum | cut -c1-16)${SLUICE_STUBS:+-stubs}; mkdir -p "$build"
# Another package is built from nothing, and leaves nothing.
[[ -z ${SLUICE_AT:-} ]] || trap 'rm -rf "$build"' EXIT
if [[ $verb == command ]]; then
  # Debian's own loader with the libraries of the cache: no namespace, so a program starts in milliseconds and its pid is
  # the one that a test kills.
  loaders=("$root"/lib*/ld-linux-*.so.*); libraries=("$root"/usr/lib/*-linux-gnu)
  printf '%s\n' "${loaders[0]}" --library-path "${libraries[0]}:$root/usr/libexec/swift/lib/swift/linux" "$build/debug/$1"
  exit 0
fi
inside "$here" "$build" /bin/bash -c 'cd "/src/$0" && verb=$1 && shift && exec swift "$verb" --build-path /build "$@"' "$(basename "$here")" "$verb" "$@"
