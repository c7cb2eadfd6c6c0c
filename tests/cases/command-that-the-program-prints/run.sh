#!/bin/bash
# A judge that calls everything right is stopped, and the note ends with a command that scores later. Right: the command
# runs as it is printed, on a store that is not the default one, and the report names it as it is typed.
cd "$(dirname "$0")"; D=$(mktemp -d); cp -r . "$D"; cd "$D"
node=${PIPELINE%% *}; $node judge-server.mjs port & server=$!; trap 'kill $server; rm -rf "$D"' EXIT
while [ ! -s port ]; do read -rt 0.05 <> <(:); done
export OPENAI_API_KEY=sk-000111222333
$PIPELINE eval --model dummy --model-args mode=target --tasks ./g.yaml --store other --judge-model openai \
  --judge-args "model=j,base_url=http://127.0.0.1:$(cat port)/v1" 2> err > out
printed=$(grep -o "pipeline judge .*--store other" err | head -1); echo "printed: $printed"
$PIPELINE ${printed#pipeline } > again 2>&1; grep -c error again
$PIPELINE report last --store other | grep -o 'Score again with: pipeline judge [a-z]*-' | head -1
