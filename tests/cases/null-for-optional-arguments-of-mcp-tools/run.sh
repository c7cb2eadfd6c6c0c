#!/bin/bash
# Null for an optional argument of a tool counts as an absent argument, for each tool.
: "${PIPELINE:?set PIPELINE to the command}"
W=$(mktemp -d); cd "$W" || exit 1; $PIPELINE serve --store s --port 0 > log 2>&1 & S=$!; trap 'kill $S; wait $S; rm -rf "$W"' EXIT
for _ in $(seq 300); do U=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' log | head -1); [ -n "$U" ] && break; sleep 0.1; done
U="$U" node --input-type=module -e '
const calls = [["list_tasks", { query: null }], ["leaderboard", { tag: null }], ["plan_comparison", { effect: null, icc: null, std: 0.4 }]]
for (const [name, args] of calls) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  console.log((await (await fetch(`${process.env.U}/mcp`, { method: "POST", headers, body })).text()).slice(0, 200))
}'
