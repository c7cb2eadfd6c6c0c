#!/bin/bash
# needs: python3
# A run that a failing server left without parameters gets them with the next command.
: "${PIPELINE:?set PIPELINE to the command}"
LIB=$(cd "$(dirname "$0")/../lib" && pwd); S=$(mktemp -d); M=; trap '[ -n "$M" ] && kill $M; rm -rf "$S"' EXIT; cd "$S"; export PIPELINE_STORE="$S/store"; P=$((20000 + RANDOM % 20000))
touch fail; python3 "$LIB/fail-proxy.py" $P log-batch & M=$!
for _ in $(seq 600); do (exec 3<>/dev/tcp/127.0.0.1/$P) 2>/dev/null && break; sleep 0.1; done
printf 'task: t\ndataset_path: ./t.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\n' > t.yaml; echo '{"q":"x","a":"yes"}' > t.jsonl
$PIPELINE eval --tasks ./t.yaml --model dummy --quiet
$PIPELINE track last --to mlflow=http://127.0.0.1:$P
rm fail; $PIPELINE track last --to mlflow=http://127.0.0.1:$P
python3 -c "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:$P/show').read().decode())"
