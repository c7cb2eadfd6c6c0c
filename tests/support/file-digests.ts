import { readFile } from 'node:fs/promises'
import { sha256 } from '../../cache/digest.js'
import type { FileDigests } from '../../stages/input/datasets/locate/file-identities.js'

/** Reads each file completely and caches nothing. */
export const wholeDigests: FileDigests = {
  digest: async path => sha256<'file'>(await readFile(path)),
  knownDigest: () => Promise.resolve(undefined),
}
