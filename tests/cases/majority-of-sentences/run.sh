#!/bin/bash
# --reduce majority votes over the numbers that the metric reads, not over whole sentences: of 8, 7, 7, 7 it is 7.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); V=; trap "[ -n \"\$V\" ] && kill \$V 2>/dev/null; rm -rf \"\$S\"" EXIT; export OPENAI_API_KEY=sk-0123456789abcdef
node srv.mjs "$S/port" & V=$!; while [ ! -s "$S/port" ]; do sleep 0.05; done; P=$(cat "$S/port"); bad=0
for t in *.yaml; do $PIPELINE eval --model openai --model-args model=m,base_url=http://127.0.0.1:$P/v1,num_concurrent=1 --tasks ./$t --repeats 4 --reduce majority,mean,first --store "$S/s" > "$S/out" 2>&1
 grep -E '_(majority|mean|first)' "$S/out"; grep -qE '_majority[a-z,]* +1\.000' "$S/out" || grep -qE 'note.*majority' "$S/out" || bad=1; done; exit $bad
