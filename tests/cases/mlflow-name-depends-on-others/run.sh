#!/bin/bash
# The name of a number in MLflow depends on its label alone: the label of the large docs has one name in both runs.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); V=; trap '[ -n "$V" ] && kill $V; rm -rf "$S"' EXIT; P=$((20000 + RANDOM % 20000))
node srv.mjs $P "$S/sent" & V=$!
for _ in $(seq 600); do (exec 3<>/dev/tcp/127.0.0.1/$P) 2>/dev/null && break; sleep 0.1; done
$PIPELINE eval --model dummy --tasks ./t.yaml --store "$S/1" --track mlflow=http://127.0.0.1:$P --quiet
echo all docs; grep -E 'size[^/]*	' "$S/sent"; : > "$S/sent"
$PIPELINE eval --model dummy --tasks ./t.yaml --docs 'l*' --store "$S/2" --track mlflow=http://127.0.0.1:$P --quiet
echo only large ones; grep -E 'size[^/]*	' "$S/sent"
