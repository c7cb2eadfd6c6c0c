#!/bin/bash
# num_fewshot: 2, and equal rows in the pool. Right: two examples for each doc.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE eval --model dummy --tasks ./a.yaml --store "$S" >/dev/null 2>&1
$PIPELINE report last --store "$S" --samples all --json | node -e '
for (const l of require("fs").readFileSync(0,"utf8").split("\n").filter(x=>x[0]==="{")) { const s=JSON.parse(l); console.log(s.doc_id, JSON.stringify(s.requests[0].messages[0].content[0].text)) }'
