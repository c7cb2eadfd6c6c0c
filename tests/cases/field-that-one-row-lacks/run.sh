#!/bin/bash
# One row has a misspelt field, so the model is asked "None". Right: validate and the run say which docs and which field.
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp m.* "$D"; cd "$D"
$PIPELINE tasks validate ./m.yaml --docs 5; echo "rc=$?"
$PIPELINE eval --model dummy --tasks ./m.yaml
