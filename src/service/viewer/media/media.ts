/** Media of the store for browsers: as they are, and what is made of them. */
import type { Store } from '../../../../cache/store.js'
import type { z } from 'zod'
import { ByteCache } from './byte-cache.js'
import { framePicture, frameTimes, type derivation } from './frames.js'
import { LimitedWork } from './limited-work.js'
import { findMedium, type MediaFile } from './media-file.js'
import { waveformPeaks } from './peaks.js'
import { makeThumbnail } from './thumbnails.js'

/** The memory for small pictures and waveforms, in bytes. */
const cacheBytes = 64 * 1024 * 1024
/** Small pictures and waveforms that are made at the same time, and how many may wait. */
const atOnce = 2
const mostWaiting = 1000

export class Media {
  readonly #store: Pick<Store, 'media' | 'values'>
  readonly #made = new ByteCache(cacheBytes)
  readonly #work = new LimitedWork(atOnce, mostWaiting)

  constructor(store: Pick<Store, 'media' | 'values'>) {
    this.#store = store
  }

  /** @throws RefusedError (404) */
  find(digest: string): Promise<MediaFile> {
    return findMedium(this.#store.media, digest)
  }

  /** WebP whose longest side has at most so many pixels. */
  thumbnail(medium: MediaFile, width: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#once(`${medium.digest} ${width}`, () => makeThumbnail(medium, width))
  }

  /** A JSON array of n numbers from 0 to 1. */
  peaks(medium: MediaFile, n: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#once(`${medium.digest} peaks ${n}`, async () => {
      const peaks = await waveformPeaks(medium, n)
      return new TextEncoder().encode(JSON.stringify(peaks))
    })
  }

  /** JSON with the times of the frames that were made of a video. */
  frameTimes(medium: MediaFile, how: z.output<typeof derivation>): Promise<Uint8Array<ArrayBuffer>> {
    return this.#once(`${medium.digest} frames ${JSON.stringify(how)}`, async () => {
      const seconds = await frameTimes(this.#store, medium, how)
      return new TextEncoder().encode(JSON.stringify({ seconds }))
    })
  }

  /** JPEG of a video at a time. */
  framePicture(
    medium: MediaFile,
    place: { readonly seconds: number; readonly width: number },
  ): Promise<Uint8Array<ArrayBuffer>> {
    return this.#once(`${medium.digest} at ${place.seconds} ${place.width}`, () => framePicture(medium, place))
  }

  /** Several browsers may wait for one result, so that it is finished even if one of them leaves. */
  #once(key: string, make: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
    return this.#made.get(key, () => this.#work.run(make))
  }
}
