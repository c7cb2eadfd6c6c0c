import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pictureHeadLength, pictureSize, type PictureSize } from '../../base/media/picture-size.js'
import { sha256, type MediaDigest } from '../../cache/digest.js'
import { openStore } from '../../cache/open.js'
import type { MediaStore, Store } from '../../cache/store.js'

/** The store that a plan reads. If there is none, an empty temporary one. */
export interface DryRunStore {
  readonly store: Store
  /** A temporary folder of users' compiled code, because the store stays unchanged. */
  readonly codeDir: string
  /** The folder of downloads, which the evaluation will use. */
  readonly dataDir: string
  close(): Promise<void>
}

export async function openDryRunStore(dir: string): Promise<DryRunStore> {
  const { holdsDatabase } = await import('../../cache/sqlite/connection/database.js')
  const isThere = holdsDatabase(dir)
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-plan-'))
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

/** Sizes of recently digested pictures. */
export class PictureSizes {
  readonly #sizes = new Map<MediaDigest, PictureSize>()

  note(digest: MediaDigest, head: Uint8Array): void {
    const size = pictureSize(head)
    if (size === undefined) return
    this.#sizes.set(digest, size)
    const [oldest] = this.#sizes.keys()
    if (this.#sizes.size > mostSizes && oldest !== undefined) this.#sizes.delete(oldest)
  }

  of(digest: MediaDigest): PictureSize | undefined {
    return this.#sizes.get(digest)
  }
}

const mostSizes = 100_000

/** Computes the digests of media as the store does, without storing them, and records the sizes of pictures. */
export function namesOfMedia(store: Pick<Store, 'media' | 'files'>, sizes: PictureSizes): MediaStore {
  const { media } = store
  const named = async (digest: MediaDigest, bytes: number) => ({ digest, bytes, isNew: !(await media.has(digest)) })
  return {
    addBytes: bytes => {
      const digest = sha256<'media'>(bytes)
      sizes.note(digest, bytes)
      return named(digest, bytes.length)
    },
    addFile: async (path, content) => {
      // A file and a medium with the same bytes have the same SHA-256.
      const digest = (await store.files.digest(path)) as string as MediaDigest
      sizes.note(digest, content?.bytes ?? (await headOf(path)))
      return named(digest, (await stat(path)).size)
    },
    read: digest => media.read(digest),
    encode: (digest, bytes, into) => media.encode(digest, bytes, into),
    has: digest => media.has(digest),
    path: digest => media.path(digest),
  }
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(pictureHeadLength), position: 0 })
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
