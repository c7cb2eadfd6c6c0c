import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pictureHeadLength, pictureSize, type PictureSize } from '../../base/media/picture-size.js'
import type { MediaDigest } from '../../cache/digest.js'
import { findWorkFolder } from '../../cache/location.js'
import { holdsStore, openStore } from '../../cache/open.js'
import type { Store } from '../../cache/store.js'
import { type IntakeStore, namedMedia } from '../../stages/input/media/media-intake.js'

/** The store that a plan reads, or an empty temporary one. */
export interface DryRunStore {
  readonly store: Store
  /** A temporary folder of users' compiled code, because the store stays unchanged. */
  readonly codeDir: string
  /** The folder of downloads, which the evaluation will use. */
  readonly dataDir: string
  close(): Promise<void>
}

export async function openDryRunStore(dir: string): Promise<DryRunStore> {
  const isThere = await holdsStore(dir)
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-plan-'))
  const store = isThere ? await openStore(dir, { access: 'read' }) : await openStore(join(folder, 'store'))
  return {
    store,
    codeDir: join(folder, 'code'),
    dataDir: findWorkFolder(dir),
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
export const namesOfMedia = (store: Pick<Store, 'media' | 'files'>, sizes: PictureSizes): IntakeStore =>
  namedMedia(store, async (digest, content) =>
    sizes.note(digest, typeof content === 'string' ? await readHead(content) : content),
  )

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(pictureHeadLength), position: 0 })
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
