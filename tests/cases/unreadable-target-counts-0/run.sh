#!/bin/bash
# A target that is no option, such as "AC", is an error of the doc, whatever the answer says.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE eval --model dummy --tasks ./t.yaml --store "$S/s" > "$S/out" 2>&1; echo "exit $?"; grep -E '^ +t +|unparsed|error|target' "$S/out"
