#!/bin/bash
# All docs lose their score in a second judgement, which says so. A judge that cannot be reached prints a command with its arguments.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE eval --model dummy --tasks ./a.yaml --store "$S" --name r --quiet --judge-model dummy --judge-args 'mode=fixed,text=VERDICT: CORRECT' >/dev/null
$PIPELINE judge r --store "$S" --judge-model dummy --judge-args 'mode=fixed,text=nothing' 2>/dev/null; echo "exit $?"
$PIPELINE judge r --store "$S" --judge-model openai --judge-args 'model=m,base_url=http://127.0.0.1:9/v1,api_key=not-a-real-key' 2>&1 >/dev/null | grep -o 'score with:.*'
