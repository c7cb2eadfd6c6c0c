#!/bin/bash
# A # in a value of .env begins a comment only behind white space: the whole key is sent.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); V=; trap '[ -n "$V" ] && kill $V; rm -rf "$S"' EXIT; P=$((20000 + RANDOM % 20000)); unset OPENAI_API_KEY
node srv.mjs $P "$S/key" & V=$!
for _ in $(seq 600); do (exec 3<>/dev/tcp/127.0.0.1/$P) 2>/dev/null && break; sleep 0.1; done
mkdir "$S/w"; cp env.txt "$S/w/.env"; cd "$S/w"; echo '{"q":"x","a":"x"}' > t.jsonl
printf 'task: t\ndataset_path: ./t.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\n' > t.yaml
$PIPELINE eval --model openai --model-args model=m,base_url=http://127.0.0.1:$P/v1 --tasks ./t.yaml --store "$S/s"
cat "$S/key"
