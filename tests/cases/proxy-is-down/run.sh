#!/bin/bash
# HTTP_PROXY names a proxy where nothing listens. Right: the message names the proxy, not the model's server.
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp -r . "$D"; cd "$D"
export OPENAI_API_KEY=sk-000111222333 HTTP_PROXY=http://127.0.0.1:2
$PIPELINE eval --model openai --model-args model=m,base_url=http://models.internal:8000/v1 --tasks ./t.yaml --limit 1; echo "rc=$?"
