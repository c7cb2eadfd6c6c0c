#!/bin/bash
# Five equal docs do not show that a loss is below 0.01.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE eval --model dummy --tasks ./a.yaml --store "$S" --name one --quiet >/dev/null
$PIPELINE eval --model dummy --tasks ./a.yaml --store "$S" --name two --new-run --quiet >/dev/null
$PIPELINE report two --baseline one --gate 'tiny.exact_match not worse by 0.01' --store "$S"; echo "exit $?"
