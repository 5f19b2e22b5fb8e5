#!/usr/bin/env bash
# Installs what is missing, from Debian's packages: tools/setup.sh SET...
#   run      what it takes to build and run the command line (./run)
#   python   what the Python module needs on top (./run python, pip install .)
#   studio   what the browser studio needs on top (./run studio)
#   package  what Debian packages and the reference of the headers need on top (cpack, doxygen)
#   test     what ./test needs, `run` included
#   slow     what the slow stages of ./test need on top: WebAssembly, browsers, `package`
# Says what it does; does nothing, in milliseconds, when everything is there.
set -eu

run="g++ cmake ninja-build pkg-config libeigen3-dev nlohmann-json3-dev libcli11-dev libfmt-dev librapidxml-dev
  librsvg2-dev"
studio="emscripten"
python="python3-dev python3-numpy pybind11-dev"
test="clang clang-format clang-tidy libclang-rt-14-dev ccache python3 doctest-dev
  liborocos-kdl-dev libkdl-parser-dev libdart-dev libdart-utils-urdf-dev libdart-external-ikfast-dev libfcl-dev libbenchmark-dev liburdfdom-tools
  python3-pytest python3-pip mypy git libopenmpi-dev openmpi-bin"
package="dpkg-dev file doxygen"
slow="chromium firefox-esr valgrind"

wanted=""
for set in "$@"; do
  case $set in
    run) wanted="$wanted $run" ;;
    studio) wanted="$wanted $run $studio" ;;
    python) wanted="$wanted $run $python" ;;
    package) wanted="$wanted $run $package" ;;
    test) wanted="$wanted $run $python $test" ;;
    slow) wanted="$wanted $studio $package $slow" ;;
    *) echo "tools/setup.sh: no such set '$set'; the sets are run, python, studio, package, test, slow" >&2; exit 2 ;;
  esac
done
case " $* " in
  # Any node from 18 on will do; Debian's own comes with a separate npm.
  *" studio "* | *" slow "*) command -v npm >/dev/null || wanted="$wanted nodejs npm" ;;
esac

command -v dpkg-query >/dev/null || {
  echo "This is not a Debian system; make sure that you have the equivalents of:$wanted" >&2
  exit 0
}
have=" $(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p' | tr '\n' ' ') "
missing=""
for each in $wanted; do
  case "$have" in *" $each "*) ;; *) missing="$missing $each" ;; esac
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Please install, as root:$missing" >&2; exit 1; }
  as_root=sudo
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -q "$@" >"$log" 2>&1; }

count=$(echo $missing | wc -w)
echo "Installing $count missing packages with apt-get: $(echo $missing)" >&2
start=$SECONDS
# The lists are fetched only when the packages cannot be had without: a bare machine has none.
apt install -y --no-install-recommends $missing || {
  echo "Fetching apt's package lists first" >&2
  apt update && apt install -y --no-install-recommends $missing
} || {
  tail -20 "$log" >&2
  echo "Installing failed; see the lines above" >&2
  exit 1
}
echo "Installed in $((SECONDS - start)) s" >&2
