#!/bin/bash
# A log of Inspect whose scorer gives an answer is exported with one line a doc, and imported again.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT
$PIPELINE import mc.eval --store "$D/a"
$PIPELINE report last --store "$D/a" --format lmms-eval --output-path "$D/o" --quiet
wc -l "$D"/o/*samples*.jsonl
$PIPELINE import "$D/o" --store "$D/b"
