#!/bin/bash
# promptfoo passes all three tests: a condition of weight 0 cannot fail, and the threshold of defaultTest holds for tests without one.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); trap 'rm -rf "$S"' EXIT
$PIPELINE import --tasks promptfooconfig.yaml --name t --dir "$S"
$PIPELINE eval --model dummy --tasks "$S/t" --store "$S/s"
