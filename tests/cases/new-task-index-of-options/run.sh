#!/bin/bash
# Data of MMLU's form: a list of options and the index of the right one. Right: options with letters, and 1.000 for the
# texts of the right options.
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp q.jsonl "$D"; cd "$D"
$PIPELINE tasks new t --from q.jsonl
printf '%s\n' '{"id":0,"answer":"red"}' '{"id":1,"answer":"seven"}' > answers.jsonl
$PIPELINE judge --answers answers.jsonl --tasks ./t --store s
