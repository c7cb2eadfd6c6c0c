#!/bin/bash
# A target that is no option, such as "AC", is an error of the doc, whatever the answer says.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; S=$(mktemp -d); V=; trap "[ -n \"\$V\" ] && kill \$V 2>/dev/null; rm -rf \"\$S\"" EXIT; export OPENAI_API_KEY=sk-0123456789abcdef; P=$((20000+RANDOM%20000))
$PIPELINE eval --model dummy --tasks ./t.yaml --store "$S/s" > "$S/out" 2>&1; echo "exit $?"; grep -E '^ +t +|unparsed|error|target' "$S/out" | grep -v judge
grep -qE '2 +error +option_letter: the target' "$S/out"
