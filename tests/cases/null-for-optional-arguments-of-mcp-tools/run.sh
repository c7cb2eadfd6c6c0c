#!/bin/bash
# Null for an optional argument of a tool counts as an absent argument, for each tool.
: "${PIPELINE:?set PIPELINE to the command}"
W=$(mktemp -d); cd "$W" || exit 1; $PIPELINE serve --store s --port 0 > log 2>&1 & S=$!; trap 'kill $S; wait $S; rm -rf "$W"' EXIT
for _ in $(seq 300); do U=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' log | head -1); [ -n "$U" ] && break; sleep 0.1; done
for c in '{"name":"list_tasks","arguments":{"query":null}}' '{"name":"leaderboard","arguments":{"tag":null}}' '{"name":"plan_comparison","arguments":{"effect":null,"icc":null,"std":0.4}}'; do
  curl -s "$U/mcp" -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":$c}" | cut -c1-200; echo
done
