#!/bin/bash
# A metric with a value whose square is infinite keeps its mean and the run its scores.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp big.task.ts "$D"; cd "$D"; export PIPELINE_STORE="$D/store"
$PIPELINE eval --model dummy --tasks ./big.task.ts; echo "rc=$?"
$PIPELINE report last; echo "rc=$?"
