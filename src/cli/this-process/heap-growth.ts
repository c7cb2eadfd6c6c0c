import { setFlagsFromString } from 'node:v8'

/**
 * The heap's growth before a collection, in percent of its live size. V8's default lets a small heap grow fourfold, which is mostly garbage in a run of
 * many short requests. Twice this value needs a fifth more memory, and half of it 5 % more CPU time.
 */
const growthOfRuns = 80

/**
 * The growth while logs of other tools are imported. They are long, and nearly all of the heap is garbage of parsed lines
 * beside a small index.
 */
export const growthOfImports = 40

/**
 * Sets it for the whole process. The space for new objects keeps the size that it has: V8 would double it several times, up to 64 MB on Node 24, and
 * its size cannot be set once the process runs.
 */
export function boundHeapGrowth(percent = growthOfRuns): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
  setFlagsFromString('--semi-space-growth-factor=1')
}
