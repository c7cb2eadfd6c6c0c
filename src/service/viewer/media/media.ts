/** Serves media of the store and derived data, such as thumbnails, to browsers. */
import type { Store } from '../../../../cache/store.js'
import type { z } from 'zod'
import { ByteCache } from './byte-cache.js'
import { framePicture, frameTimes, type derivation } from './frames.js'
import { LimitedWork } from './limited-work.js'
import { type ByteRange } from './byte-range.js'
import { findMedium, streamMedium, type FoundMedium, type MediaFile } from './media-file.js'
import { waveformPeaks } from './peaks.js'
import { makeThumbnail } from './thumbnails.js'

/** The memory for small pictures and waveforms, in bytes. */
const cacheBytes = 64 * 1024 * 1024
/** Small pictures and waveforms that are made at the same time, and how many may wait. */
const atOnce = 2
const mostWaiting = 1000

/** Finds stored media, and makes thumbnails and frames, a limited number at a time. */
export class Media {
  readonly #store: Pick<Store, 'media' | 'values'>
  readonly #made = new ByteCache(cacheBytes)
  readonly #work = new LimitedWork(atOnce, mostWaiting)

  constructor(store: Pick<Store, 'media' | 'values'>) {
    this.#store = store
  }

  /** @throws RefusedError (404) */
  find(digest: string): Promise<FoundMedium> {
    return findMedium(this.#store.media, digest)
  }

  /** Streams a range of a medium's bytes. */
  stream({ digest }: FoundMedium, range: ByteRange): ReadableStream<Uint8Array<ArrayBuffer>> {
    return streamMedium(() => this.#store.media.openFile(digest), range)
  }

  /** Makes a WebP thumbnail with a maximum length of the longest side in pixels. */
  thumbnail(medium: FoundMedium, width: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#once(`${medium.digest} ${width}`, medium, file => makeThumbnail(file, width))
  }

  /** A JSON array of n numbers from 0 to 1. */
  peaks(medium: FoundMedium, n: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#once(`${medium.digest} peaks ${n}`, medium, async file => {
      const peaks = await waveformPeaks(file, n)
      return new TextEncoder().encode(JSON.stringify(peaks))
    })
  }

  /** Returns JSON with the times of a video's frames. */
  frameTimes(medium: FoundMedium, how: z.output<typeof derivation>): Promise<Uint8Array<ArrayBuffer>> {
    return this.#once(`${medium.digest} frames ${JSON.stringify(how)}`, medium, async file => {
      const seconds = await frameTimes(this.#store, file, how)
      return new TextEncoder().encode(JSON.stringify({ seconds }))
    })
  }

  /** JPEG of a video at a time. */
  framePicture(
    medium: FoundMedium,
    frame: { readonly seconds: number; readonly width: number },
  ): Promise<Uint8Array<ArrayBuffer>> {
    return this.#once(`${medium.digest} at ${frame.seconds} ${frame.width}`, medium, file => framePicture(file, frame))
  }

  /** Several browsers may wait for one result, so that it is finished even if one of them leaves. */
  #once(
    key: string,
    medium: FoundMedium,
    make: (file: MediaFile) => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const makeFromFile = async (): Promise<Uint8Array<ArrayBuffer>> => {
      await using file = await this.#store.media.openFile(medium.digest)
      return await make({ ...medium, path: file.path })
    }
    return this.#made.get(key, () => this.#work.run(makeFromFile))
  }
}
