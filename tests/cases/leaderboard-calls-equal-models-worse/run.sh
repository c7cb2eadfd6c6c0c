#!/bin/bash
# Among equal models, some is called worse than the best in about 5 % of tables, although the best is chosen by its score.
: "${CHECKOUT:?set CHECKOUT to a built checkout}"
"$CHECKOUT/node_modules/.bin/node" "$(dirname "$0")/run.mjs" "$CHECKOUT"
