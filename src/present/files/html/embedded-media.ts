import { readFile } from 'node:fs/promises'
import { formatQuantity, size } from '../../../../base/text/numbers.js'
import { parseDigest } from '../../../../cache/digest.js'
import type { MediaStore } from '../../../../cache/store.js'
import type { MediaRef, SampleView } from '../../page/data/index.js'
import { dataElement } from './page-shell.js'

/** The longest sides of pictures, in pixels: in lists, and on a sample's page. */
const listSide = 320
const pageSide = 1024
/** Longer sounds and videos are left out. */
const mostPlayed = 1_000_000
/** Pictures that are made smaller at the same time. */
const atOnce = 4
/** Media types that browsers show. Small pictures of these types are embedded unchanged. */
const shownAsTheyAre = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

/** The media of the samples in the file, each once, in the order of the samples. */
export class EmbeddedMedia {
  readonly #store: Pick<MediaStore, 'openFile'>
  readonly #found = new Map<string, MediaRef>()

  constructor(store: Pick<MediaStore, 'openFile'>) {
    this.#store = store
  }

  /** Notes all media of a sample's prompts, rounds and answers. */
  add({ items }: SampleView): void {
    for (const { messages, transcript, answer } of items) {
      for (const { parts } of [...messages, ...transcript])
        for (const part of parts) if (part.type !== 'text') this.#found.set(part.medium.digest, part.medium)
      for (const { medium } of answer?.media ?? []) this.#found.set(medium.digest, medium)
    }
  }

  /**
   * Writes an element for each medium, within a budget: first small pictures for lists, then sounds and videos, then pictures for the page of a
   * sample.
   *
   * @param budget bytes of media, before base64
   */
  async write(write: (text: string) => Promise<void>, budget: number): Promise<EmbeddingOutcome> {
    const outcome = new Outcome(budget)
    const media = [...this.#found.values()]
    const pictures = media.filter(({ kind, isMissing }) => kind === 'image' && isMissing !== true)
    const played = media.filter(({ kind, isMissing }) => (kind === 'audio' || kind === 'video') && isMissing !== true)
    await inOrder(
      pictures,
      this.#withFile((path, medium) => makeSmaller(path, medium, listSide)),
      outcome,
      async (medium, bytes, type) => {
        await write(dataElement(elementId(medium, listSide), bytes, type))
      },
    )
    await inOrder(played, this.#withFile(readWhole), outcome, async (medium, bytes, type) => {
      await write(dataElement(elementId(medium), bytes, type))
    })
    // A picture no larger than its thumbnail is embedded already.
    const large = pictures.filter(({ width = Infinity, height = Infinity }) => Math.max(width, height) > listSide)
    const page = outcome.forLargePictures()
    await inOrder(
      large,
      this.#withFile((path, medium) => makeSmaller(path, medium, pageSide)),
      page,
      async (medium, bytes, type) => {
        await write(dataElement(elementId(medium, pageSide), bytes, type))
      },
    )
    return {
      bytes: page.used,
      leftOut: [...outcome.sentences('medium', 'media'), ...page.largeSentences(large.length)],
    }
  }

  #withFile(encode: (path: string, medium: MediaRef) => Promise<Encoded | undefined>): Encode {
    return async medium => {
      await using file = await this.#store.openFile(parseDigest<'media'>(medium.digest))
      return await encode(file.path, medium)
    }
  }
}

export interface EmbeddingOutcome {
  readonly bytes: number
  /** The missing media, as sentences. */
  readonly leftOut: readonly string[]
}

/** The id of a medium's element; the digest holds only hexadecimal digits. */
const elementId = ({ digest }: MediaRef, side?: number): string =>
  `media-${digest.replace(/[^\w]/g, '-')}${side === undefined ? '' : `-${side}`}`

interface Encoded {
  readonly bytes: Uint8Array
  readonly type: string
}

type Encode = (medium: MediaRef) => Promise<Encoded | undefined>

/** @returns undefined for a picture that cannot be read */
async function makeSmaller(
  path: string,
  { type, bytes, width = Infinity, height = Infinity }: MediaRef,
  side: number,
): Promise<Encoded | undefined> {
  if (Math.max(width, height) <= side && bytes <= 50_000 && shownAsTheyAre.has(type))
    return { bytes: await readFile(path), type }
  try {
    const { default: sharp } = await import('sharp')
    const resized = sharp(path, { failOn: 'none', animated: false })
      .rotate()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    return { bytes: await resized.webp({ quality: 75, effort: 2 }).toBuffer(), type: 'image/webp' }
  } catch {
    // The model may not have seen a damaged picture either. The report names its path instead.
    return undefined
  }
}

const readWhole = async (path: string, { type, bytes }: MediaRef): Promise<Encoded | undefined> =>
  bytes > mostPlayed || type === 'application/octet-stream' ? undefined : { bytes: await readFile(path), type }

/** Encodes a few media at once, and writes them in their order while the budget lasts. */
async function inOrder(
  media: readonly MediaRef[],
  encode: Encode,
  outcome: Outcome,
  write: (medium: MediaRef, bytes: Uint8Array, type: string) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < media.length; start += atOnce) {
    const group = media.slice(start, start + atOnce)
    if (outcome.isSpent) {
      for (const medium of media.slice(start)) outcome.leaveOut(medium, 'budget')
      return
    }
    const encoded = await Promise.all(group.map(encode))
    for (const [index, medium] of group.entries()) {
      const encodedMedium = encoded[index]
      if (encodedMedium === undefined) outcome.leaveOut(medium, 'unfit')
      else if (outcome.take(encodedMedium.bytes.length)) await write(medium, encodedMedium.bytes, encodedMedium.type)
      else outcome.leaveOut(medium, 'budget')
    }
  }
}

class Outcome {
  used: number
  readonly #budget: number
  #isFull = false
  readonly #left = { budget: { count: 0, bytes: 0 }, unfit: { count: 0, bytes: 0 } }

  constructor(budget: number, used = 0) {
    this.#budget = budget
    this.used = used
  }

  get isSpent(): boolean {
    return this.#isFull
  }

  forLargePictures(): Outcome {
    return new Outcome(this.#budget, this.used)
  }

  take(bytes: number): boolean {
    if (this.used + bytes > this.#budget) {
      this.#isFull = true
      return false
    }
    this.used += bytes
    return true
  }

  leaveOut({ bytes }: MediaRef, why: 'budget' | 'unfit'): void {
    this.#left[why].count += 1
    this.#left[why].bytes += bytes
  }

  sentences(singular: string, plural: string): string[] {
    const { budget, unfit } = this.#left
    const describeMissing = ({ count, bytes }: { count: number; bytes: number }): string =>
      `${formatQuantity(count, singular, plural)} (${size(bytes)} on disk) ${count === 1 ? 'is' : 'are'} not in this file`
    return [
      ...(budget.count === 0
        ? []
        : [
            `${describeMissing(budget)}, because they exceed the budget of ${size(this.#budget)}. Their paths are shown instead.`,
          ]),
      ...(unfit.count === 0
        ? []
        : [
            `${describeMissing(unfit)}, because they cannot be read or shown, or are sounds or videos over ${size(mostPlayed)}. Their paths are shown instead.`,
          ]),
    ]
  }

  largeSentences(pictures: number): string[] {
    const { count } = this.#left.budget
    return count === 0
      ? []
      : [
          `${formatQuantity(count, 'picture')} of ${formatQuantity(pictures, 'larger picture')} ${count === 1 ? 'is' : 'are'} at most ${listSide} pixels wide and high, because of the budget.`,
        ]
  }
}
