#!/bin/bash
# What is exported of a task whose name has white space, signs or other scripts can be imported.
: "${PIPELINE:?set PIPELINE to the command}"
D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cd "$D"; export PIPELINE_STORE="$D/store"
for name in "a b" "org:x/наука"; do printf 'task: "%s"\ndataset_path: ./t.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\n' "$name" > "$(echo "$name" | tr ' :/' '___').yaml"; done
echo '{"q":"x","a":"yes"}' > t.jsonl
$PIPELINE eval --tasks ./a_b.yaml --tasks ./org_x_наука.yaml --model dummy --model-args mode=fixed,text=yes --quiet >/dev/null
for f in lmms-eval lm-eval; do
  $PIPELINE report last --format $f --output-path o-$f --quiet >/dev/null
  $PIPELINE import o-$f --store ./s-$f
  $PIPELINE report last --store ./s-$f | grep exact_match
done
