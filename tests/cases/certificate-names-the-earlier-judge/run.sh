#!/bin/bash
# A certificate names the judge of the judgement that it signs, here the second one, and each judge of --judge-for.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
show() { node -e 'const j=JSON.parse(require("fs").readFileSync(process.argv[1])).judgement; console.log("number",j.number,"judge",JSON.stringify(j.judge),"judges",JSON.stringify(j.judges))' "$S/r.pipeline.cert.json"; }
openssl genpkey -algorithm ed25519 -out "$S/key.pem" 2>/dev/null
$PIPELINE eval --model dummy --tasks ./a.yaml --store "$S/s" --name r --quiet --judge-model dummy --judge-args 'mode=fixed,text=VERDICT: CORRECT' >/dev/null
$PIPELINE judge r --store "$S/s" --quiet --judge-model dummy --judge-args 'mode=fixed,text=VERDICT: INCORRECT' >/dev/null
$PIPELINE export r --store "$S/s" --output "$S/r.pipeline" --sign "$S/key.pem" 2>/dev/null; show
$PIPELINE judge r --store "$S/s" --quiet --judge-for 'g=dummy,mode=fixed,text=VERDICT: CORRECT' >/dev/null
$PIPELINE export r --store "$S/s" --output "$S/r.pipeline" --sign "$S/key.pem" 2>/dev/null; show
