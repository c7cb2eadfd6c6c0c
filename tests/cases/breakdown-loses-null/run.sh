#!/bin/bash
# Four groups of three docs. Right: a row for null, or a note.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE eval --model dummy --tasks ./a.yaml --store "$S"  >/dev/null
$PIPELINE report last --store "$S"
