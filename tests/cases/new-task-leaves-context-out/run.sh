#!/bin/bash
# A question about a passage, as in SQuAD and BoolQ. Right: the passage stands before the question.
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp q.csv "$D"; cd "$D"
$PIPELINE init --data q.csv --yes && cat q/q.yaml
