#!/bin/bash
# A row of a task in TypeScript leads back to itself. Right: the field is named, as for a Map or a function in a row.
cd "$(dirname "$0")"; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cp x.task.ts "$D"; cd "$D"
$PIPELINE eval --model dummy --tasks ./x.task.ts; echo "rc=$?"
sed 's/rows(\[row\])/rows([{ q: "a" }]).map(() => row)/' x.task.ts > y.task.ts
$PIPELINE eval --model dummy --tasks ./y.task.ts; echo "rc=$?"
