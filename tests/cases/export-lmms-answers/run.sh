#!/bin/bash
# An export in lmms-eval's format holds the answers beside what a filter left of them, with all repeats, and an unread answer stays one.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT
$PIPELINE eval --model python --model-args file=m.py,class=M --tasks t.yaml --repeats 2 --store "$D/a" --quiet
$PIPELINE report last --store "$D/a" --format lmms-eval --output-path "$D/o" --quiet
cat "$D"/o/*samples*
$PIPELINE import "$D/o" --store "$D/b"
$PIPELINE report last --store "$D/b" --samples all
