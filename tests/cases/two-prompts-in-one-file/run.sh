#!/bin/bash
# A text file of promptfoo has several prompts, with a line of --- between. Each becomes a task.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE import --tasks config.yaml --name pirate --dir "$S"
grep -h doc_to_text "$S"/pirate/*.yaml
