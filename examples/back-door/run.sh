#!/bin/sh
# The story of README, with this gpuvet.
# usage: run.sh [GPUVET]
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
gpuvet=${1:-gpuvet}
case $gpuvet in
/*) ;;
*/*) gpuvet=$PWD/$gpuvet ;; # before the folder is left
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
case $gpuvet in */*) gpuvet=$(cd "$(dirname "$gpuvet")" && pwd)/$(basename "$gpuvet") ;; esac
sh "$here/build.sh" "$dir" || exit 70
cd "$dir" || exit 70
cp "$here"/*.yaml .

# STATUS WORDS...: runs gpuvet, and says so where it ends in another way than the story does
run() {
    want=$1
    shift
    printf '\n$ gpuvet %s\n\n' "$*"
    "$gpuvet" "$@"
    got=$?
    [ $got = "$want" ] || { echo "run.sh: that ended with status $got, not with $want" >&2 && exit 70; }
}

run 2 inventory --target pool-amd.yaml before
run 2 inventory --policy policy.yaml before
run 1 inventory --diff before after
run 0 inventory --target pool-amd.yaml --policy policy.yaml after
