#!/bin/bash
# YAML reads unquoted yes and no as truth values. As keys of a mapping they are the texts that stand in the file.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE tasks validate ./t.yaml
$PIPELINE eval --model dummy --tasks ./t.yaml --store "$S"
