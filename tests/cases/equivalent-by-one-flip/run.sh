#!/bin/bash
# One differing doc of 100 does not show that two models differ by less than 0.03.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
for r in a b; do $PIPELINE eval --model dummy --tasks ./$r/t.yaml --store "$S" --name run-$r --quiet >/dev/null; done
$PIPELINE compare run-a run-b --margin 0.03 --store "$S"
$PIPELINE report run-b --baseline run-a --gate 'one.exact_match not worse by 0.03' --store "$S" | grep -E "passed|failed"
