#!/bin/bash
# `default_value` of `map` is scored for an answer that the regex before it could not read, as in lm-evaluation-harness and lmms-eval.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE judge --answers answers.jsonl --tasks ./a.yaml --store "$S" >/dev/null 2>&1
$PIPELINE report last --store "$S" --samples all --limit -1 --json | node -e '
for (const l of require("fs").readFileSync(0,"utf8").split("\n").filter(x=>x[0]==="{")) { const s=JSON.parse(l); console.log(s.doc_id,"|",s.outcome,"|",JSON.stringify(s.values),"| target",JSON.stringify(s.target),"|",s.error??s.reason??"") }'
