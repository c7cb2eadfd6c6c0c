import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects all garbage of this thread, in some hundredths of a second. Left to itself V8 collects when a heap has grown, and the heap
 * of a program that has done most of its work stays as large as it was: room that is held beside that of new threads.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  try {
    // Only contexts that are made while the flag is set have it.
    const collect = runInNewContext('gc') as () => void
    collect()
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
