#!/bin/bash
# A limit of requests keeps back the scores that a stop condition waits for. The command ends as it does without the condition.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
timeout -s INT 40 $PIPELINE eval --model dummy --tasks ./a.yaml --store "$S" --stop-when 'half-width < 0.01' --max-requests 70 --quiet 2>&1; echo "exit $?"
timeout -s INT 40 $PIPELINE resume last --store "$S" --concurrency 1 --max-requests 5 --quiet 2>&1; echo "exit $?"
