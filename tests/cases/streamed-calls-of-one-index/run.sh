#!/bin/bash
# Each doc is a form of streamed tool calls: one index for two calls, one id in each piece, the name in each piece, and arguments under another index.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); V=; trap "[ -n \"\$V\" ] && kill \$V 2>/dev/null; rm -rf \"\$S\"" EXIT; export OPENAI_API_KEY=sk-0123456789abcdef
node srv.mjs "$S/port" & V=$!; while [ ! -s "$S/port" ]; do sleep 0.05; done; P=$(cat "$S/port")
$PIPELINE eval --model openai --model-args model=m,base_url=http://127.0.0.1:$P/v1,max_retries=0,stream=true --tasks ./t.yaml --mcp 'node mcp.mjs' --store "$S/s" 2>/dev/null | grep -E '^ +t +exact_match'
$PIPELINE report last --store "$S/s" --samples all --limit -1 2>/dev/null | grep -E '^ +(tool|answer)'
