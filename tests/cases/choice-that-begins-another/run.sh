#!/bin/bash
# An option whose text begins another one is found inside it, so that a right answer is mapped to the wrong letter.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); V=; trap "[ -n \"\$V\" ] && kill \$V 2>/dev/null; rm -rf \"\$S\"" EXIT; export OPENAI_API_KEY=sk-0123456789abcdef
$PIPELINE eval --model dummy --tasks ./t.yaml --store "$S/s" > "$S/out" 2>&1; grep -E '^ +t +exact_match' "$S/out"; $PIPELINE report last --store "$S/s" --samples all 2>/dev/null | grep -E 'read as|answer'
grep -qE 'exact_match +1\.000' "$S/out"
