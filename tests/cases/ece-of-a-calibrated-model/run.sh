#!/bin/bash
# The calibration error of a calibrated model is 0, and has no interval: chance makes the error larger, and resamples once more.
: "${CHECKOUT:?set CHECKOUT to a built checkout}"
"$CHECKOUT/node_modules/.bin/node" "$(dirname "$0")/run.mjs" "$CHECKOUT"
