import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../../base/errors/errors.js'
import { listNames } from '../../base/files/path-kinds.js'
import { parseDigest } from '../digest.js'
import type { ListedMedium } from '../store.js'

/** Lists the media in a folder `ab/cdef…`. Files that are not media, and files that vanish meanwhile, are left out. */
export async function* listMediaFiles(folder: string): AsyncGenerator<ListedMedium> {
  for (const prefix of await listNames(folder)) {
    if (!/^[0-9a-f]{2}$/.test(prefix)) continue
    const names = (await listNames(join(folder, prefix))).filter(name => /^[0-9a-f]{62}$/.test(name))
    for (const name of names) {
      const found = await withoutMissing(stat(join(folder, prefix, name)))
      if (found !== undefined) yield { digest: parseDigest<'media'>(`sha256:${prefix}${name}`), bytes: found.size }
    }
  }
}

async function withoutMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}
