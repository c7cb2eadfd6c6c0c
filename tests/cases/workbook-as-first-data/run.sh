#!/bin/bash
# A newcomer's data is an Excel file. Right: a sentence that says what to do, and no internal error.
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp q.xlsx "$D"; cd "$D"
$PIPELINE tasks new q --from q.xlsx; echo "rc=$?"
$PIPELINE init --data q.xlsx --yes; echo "rc=$?"
ls
