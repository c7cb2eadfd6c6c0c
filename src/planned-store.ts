import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sha256, type MediaDigest } from '../cache/digest.js'
import { openStore } from '../cache/open.js'
import { databaseName } from '../cache/sqlite/database-name.js'
import type { MediaStore, Store } from '../cache/store.js'

/** A store that a plan reads; where there is none, an empty one that is gone afterwards. */
export interface PlannedStore {
  readonly store: Store
  /** Where compiled code of users is put: not in the store, which is left as it is. */
  readonly codeDir: string
  /** Where downloads go, which the evaluation will use. */
  readonly dataDir: string
  close(): Promise<void>
}

export async function openPlannedStore(dir: string): Promise<PlannedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-plan-'))
  const isThere = existsSync(join(dir, databaseName))
  const store = isThere ? await openStore(dir, { access: 'read' }) : await openStore(join(folder, 'store'))
  return {
    store,
    codeDir: join(folder, 'code'),
    dataDir: resolve(dir),
    close: async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Names media by their digests, as the store would, and keeps none. */
export function namesOfMedia(store: Pick<Store, 'media' | 'fileDigest'>): MediaStore {
  const { media } = store
  const named = async (digest: MediaDigest, bytes: number) => ({ digest, bytes, isNew: !(await media.has(digest)) })
  return {
    addBytes: bytes => named(sha256<'media'>(bytes), bytes.length),
    // The same bytes have the same SHA-256, as a file or as a medium.
    addFile: async path => named((await store.fileDigest(path)) as string as MediaDigest, (await stat(path)).size),
    read: digest => media.read(digest),
    encode: (digest, bytes, into) => media.encode(digest, bytes, into),
    has: digest => media.has(digest),
    path: digest => media.path(digest),
  }
}
