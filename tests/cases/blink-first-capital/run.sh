#!/bin/bash
# Right: 1 1 0 0.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
cp d.jsonl "$S"; sed "s#@BLINK@#${CHECKOUT:?}/tasks/blink/blink_counting.yaml#" a.yaml > "$S/run.yaml"
$PIPELINE eval --model dummy --tasks "$S/run.yaml" --store "$S" >/dev/null 2>&1
$PIPELINE report last --store "$S" --samples all --json | node -e '
for (const l of require("fs").readFileSync(0,"utf8").split("\n").filter(x=>x[0]==="{")) { const s=JSON.parse(l); console.log(s.doc_id,"|",s.outcome,"|",JSON.stringify(s.values),"| target",JSON.stringify(s.target)) }'
