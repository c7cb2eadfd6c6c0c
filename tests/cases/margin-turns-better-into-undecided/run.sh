#!/bin/bash
# A margin that Holm's method takes away leaves the difference that was found.
: "${CHECKOUT:?set CHECKOUT to a built checkout}"
"$CHECKOUT/node_modules/.bin/node" --input-type=module -e '
const D=process.argv[1]+"/dist/stages/judge/statistics/paired/";const {comparePaired}=await import(D+"compare-paired.js"),{settleVerdicts}=await import(D+"settle-verdicts.js");
const mk=(d,sd)=>Array.from({length:100},(_,i)=>({id:""+i,a:0,b:d+sd*((i%2)*2-1)}));
for(const margin of [undefined,.0289]) console.log("margin",margin,settleVerdicts([comparePaired({pairs:mk(.02,.05),margin}),comparePaired({pairs:mk(0,.5),margin})]).map(x=>x.verdict+", adjusted p "+x.adjustedP.toFixed(5)))' "$CHECKOUT"
