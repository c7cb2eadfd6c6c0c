import { RecentMap } from '../../base/collections/recent-map.js'
import type { MediaDigest } from '../digest.js'
import type { MediumInfo } from '../store.js'

/** Remembers the media that were added, and adds each once at a time, because docs may show the same one. */
export class AddedMedia {
  /** The media last seen in the store, with their sizes. This saves a look at the store for an image that docs share. */
  readonly #known: RecentMap<MediaDigest, number>
  readonly #adding = new Map<MediaDigest, Promise<MediumInfo>>()

  /** @param remembered the number of media that are remembered. Each takes a hundred bytes */
  constructor(remembered: number) {
    this.#known = new RecentMap(remembered)
  }

  has(digest: MediaDigest): boolean {
    return this.#known.has(digest)
  }

  /** Remembers a medium that was seen in the store. */
  keep(digest: MediaDigest, bytes: number): void {
    this.#known.set(digest, bytes)
  }

  /** Forgets media that were removed. */
  forget(digests: readonly MediaDigest[]): void {
    for (const digest of digests) this.#known.delete(digest)
  }

  /** Adds a medium, unless it is known or being added. @param add writes it if the store lacks it, and tells whether it did */
  addOnce(digest: MediaDigest, bytes: number, add: () => Promise<boolean>): Promise<MediumInfo> {
    if (this.#known.get(digest) === bytes) return Promise.resolve({ digest, bytes, isNew: false })
    const running = this.#adding.get(digest)
    if (running !== undefined) return running.then(info => ({ ...info, isNew: false }))
    const adding = this.#add(digest, bytes, add).finally(() => this.#adding.delete(digest))
    this.#adding.set(digest, adding)
    return adding
  }

  async #add(digest: MediaDigest, bytes: number, add: () => Promise<boolean>): Promise<MediumInfo> {
    const isNew = await add()
    this.#known.set(digest, bytes)
    return { digest, bytes, isNew }
  }
}
