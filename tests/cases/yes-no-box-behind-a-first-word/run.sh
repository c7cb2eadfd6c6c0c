#!/bin/bash
# What a box, a tag or a last line states is the answer, as in other metrics; No. before a number is no answer, and a denied yes is none.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE judge --answers answers.jsonl --tasks ./a.yaml --store "$S" >/dev/null 2>&1
$PIPELINE report last --store "$S" --samples all --limit -1 --json | node -e '
for (const l of require("fs").readFileSync(0,"utf8").split("\n").filter(x=>x[0]==="{")) { const s=JSON.parse(l); console.log(s.doc_id,"|",s.outcome,"|",JSON.stringify(s.values),"| target",JSON.stringify(s.target),"|",s.error??s.reason??"") }'
