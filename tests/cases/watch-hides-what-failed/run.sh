#!/bin/bash
# A metric throws for two thirds of the docs. The table of watch says how many docs have a score, and why the others have none.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp -r . "$D"; cd "$D"; export PIPELINE_STORE="$D/store"
$PIPELINE watch ./w.yaml --model dummy --model-args mode=echo --yes > ../out-$$ 2>&1 & W=$!
for _ in $(seq 600); do grep -q failing: ../out-$$ && break; sleep 0.1; done
kill -INT $W; wait $W; cat ../out-$$; rm ../out-$$
