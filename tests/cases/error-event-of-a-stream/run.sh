#!/bin/bash
# Each doc is a form of an error event: the error object itself, that of FastChat, and that of FastAPI. Its words are shown, and it is asked once.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); V=; trap "[ -n \"\$V\" ] && kill \$V 2>/dev/null; rm -rf \"\$S\"" EXIT; export OPENAI_API_KEY=sk-0123456789abcdef
node srv.mjs "$S/port" "$S/asked" & V=$!; while [ ! -s "$S/port" ]; do sleep 0.05; done; P=$(cat "$S/port")
$PIPELINE eval --model openai --model-args model=m,base_url=http://127.0.0.1:$P/v1,max_retries=2,retry_backoff_s=0.05,stream=true --tasks ./t.yaml --store "$S/s" 2>&1 | grep -E '^ +[0-9] +[a-z_]+ ' | cut -c1-150; echo "asked $(wc -l < "$S/asked") times"
