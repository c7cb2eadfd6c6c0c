import type { MediumFile } from '../store.js'

/** Makes the file of a medium from a permanent path. */
export const makeLastingFile = (path: string): MediumFile => ({
  path,
  [Symbol.asyncDispose]: () => Promise.resolve(),
})
