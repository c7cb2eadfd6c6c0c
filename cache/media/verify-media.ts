import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { listNames } from '../../base/files/path-kinds.js'
import { streamingSha256, type MediaDigest } from '../digest.js'

/** Reads every medium and lists those whose content does not match their name. `repair` removes them and leftovers of crashes. */
export async function verifyMedia(
  folder: string,
  repair: boolean,
): Promise<{ readonly checked: number; readonly damaged: readonly MediaDigest[] }> {
  let checked = 0
  const damaged: MediaDigest[] = []
  for (const prefix of await listNames(folder)) {
    for (const name of await listNames(join(folder, prefix))) {
      const path = join(folder, prefix, name)
      if (name.endsWith('.tmp')) {
        if (repair) await rm(path, { force: true })
        continue
      }
      checked += 1
      const hash = streamingSha256<'media'>()
      for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk)
      const digest = `sha256:${prefix}${name}`
      if (hash.digest() === digest) continue
      damaged.push(digest as MediaDigest)
      if (repair) await rm(path, { force: true })
    }
  }
  return { checked, damaged }
}
