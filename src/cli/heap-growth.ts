import { setFlagsFromString } from 'node:v8'

/**
 * The heap's growth before a collection, in percent of its live size. V8's default lets a small heap grow fourfold, which is mostly garbage in a run of many short
 * requests: a tenth of all memory. Half of this value would save as much again and cost 5 % more CPU time.
 */
const growthOfRuns = 150

/**
 * The growth while logs of other tools are imported. They are long, and nearly all of the heap is garbage of parsed lines
 * beside a small index.
 */
export const growthOfImports = 40

/** Sets it for the whole process. */
export const boundHeapGrowth = (percent = growthOfRuns): void => setFlagsFromString(`--heap-growing-percent=${percent}`)
