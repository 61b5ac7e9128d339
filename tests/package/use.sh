#!/usr/bin/env bash
# Uses an installed Fovea as its users do: use.sh program PREFIX | cmake PREFIX CONSUMERS | pkg-config PREFIX CONSUMERS
# PREFIX is where it is installed or unpacked, CONSUMERS a folder of projects that use it.
set -euo pipefail
what=$1 prefix=$2 consumers=${3:+$(realpath "$3")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "use.sh $what: $*" >&2
  exit 1
}
# Trains a few steps, into $work/run.
train() {
  "$prefix/bin/fovea" train copy --steps 2 --width 8 --out run >train.log 2>&1 || { cat train.log; fail "no training"; }
}

case $what in
  program)
    "$prefix/bin/fovea" --version | grep -q '^fovea [0-9]' || fail "--version says nothing"
    train
    echo "a b c" | "$prefix/bin/fovea" predict run/checkpoints/last.fovea --json | grep -q '"answers"' || fail "no answer"
    # Its own data, found without being told where they are.
    (unset FOVEA_EXAMPLES; "$prefix/bin/fovea" train forecast --steps 2 --width 8 --out weather >weather.log 2>&1) ||
      { cat weather.log; fail "the data are not found"; }
    zcat "$prefix/share/man/man1/fovea.1.gz" >page
    grep -q '^\.SS fovea train' page || fail "no manual page"
    bash -n "$prefix/share/bash-completion/completions/fovea" || fail "no completion"
    ;;
  cmake)
    train
    for consumer in f32 f64 tasks; do
      cmake -S "$consumers/$consumer" -B "$consumer" -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 &&
        cmake --build "$consumer" >>log 2>&1 || { cat log; fail "$consumer does not build"; }
    done
    f32/consumer && f64/consumer && tasks/consumer run/checkpoints/last.fovea || fail "a consumer fails"
    ;;
  pkg-config)
    train
    export PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix/lib" -name fovea-f32.pc)")
    for consumer in f32 tasks; do
      # Word splitting is wanted: these are many flags.
      # shellcheck disable=SC2046
      g++ -std=c++20 "$consumers/$consumer/main.cpp" $(pkg-config --cflags --libs "fovea-$consumer") -o "$consumer.out"
    done
    ./f32.out && ./tasks.out run/checkpoints/last.fovea || fail "a consumer fails"
    ;;
  *) fail "there is no such use" ;;
esac
echo "use.sh: $what works"
