#!/bin/bash
# Sizes of two samples equal those of statsmodels at low powers, too. A plan of paired 0/1 scores reaches its power with the score test.
: "${CHECKOUT:?set CHECKOUT to a built checkout}"
"$CHECKOUT/node_modules/.bin/node" --input-type=module -e "
const {statistics, planComparison} = await import('$CHECKOUT/dist/program/index.js')
console.log(statistics.planTwoSampleSize(0.05, {power: 0.5}).docs)
console.log(statistics.planTwoSampleSize(0.5, {power: 0.3, ratio: 2.5}).docs)
const {neededDocs, test} = planComparison({effect: 0.2})
console.log(neededDocs, test)"
