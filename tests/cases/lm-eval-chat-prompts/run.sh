#!/bin/bash
# lm-eval logs the prompt of a chat model as the JSON of its messages, in a list of one text. Each sample shows the message.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; export PIPELINE_STORE="$D/store"
$PIPELINE import log
$PIPELINE report last --samples all --limit 1
mkdir "$D/empty"; cp log/* "$D/empty"; sed -i 's/"arg_0": .*, "arg_1"/"arg_0": [], "arg_1"/; s/"target": "[^"]*"/"target": ""/' "$D"/empty/samples*
$PIPELINE import "$D/empty"
