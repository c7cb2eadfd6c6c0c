#!/bin/bash
# The commonest mistakes in a task file: {{…}} without quotes, and data in the place of a task. Right: one line with the
# cure, and nothing of Node or of the YAML library.
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp -r . "$D"; cd "$D"
$PIPELINE tasks validate ./t.yaml; echo "rc=$?"
for i in 1 2 3 4 5 6 7 8 9; do echo "{\"id\": $i, \"question\": \"What: is it?\"}"; done > q.jsonl
$PIPELINE tasks validate ./q.jsonl | head -20
$PIPELINE eval --config q.jsonl
