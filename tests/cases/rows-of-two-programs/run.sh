#!/bin/bash
# Programs that evaluate the same rows([…]) on one store do not disturb each other. The file of the rows is named by their content, and is written once.
: "${PIPELINE:?set PIPELINE to the command}" "${CHECKOUT:?set CHECKOUT to a built checkout}"
export RACE_STORE; RACE_STORE=$(mktemp -d); trap 'rm -rf "$RACE_STORE"' EXIT
# The first word of the command is its Node.
${PIPELINE%% *} "$(dirname "$0")/rows-race.mjs" && echo "no evaluation failed"
find "$RACE_STORE" -path "*rows*" -name "*.tmp" | wc -l
