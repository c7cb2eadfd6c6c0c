#!/bin/bash
# repeats: 4 with pass_at: 4 and no filter_list: known before the first request to fail. Right: refused when the file is read, or keeps the four samples.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE tasks validate ./a.yaml; echo "validate exit $?"
$PIPELINE eval --model dummy --tasks ./a.yaml --store "$S"; echo "exit $?"
