import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import yauzl from 'yauzl'

/** A stretch of what is read as one: a file, or bytes. */
export type Stretch =
  { readonly file: string; readonly length: number } | { readonly bytes: Uint8Array; readonly length: number }

export const stretchOf = async (file: string): Promise<Stretch> => ({ file, length: (await stat(file)).size })

export const lengthOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { length }) => sum + length, 0)

/** Files and bytes one after another, as the ZIP reader reads any range of one file. */
export class JoinedReader extends yauzl.RandomAccessReader {
  readonly #stretches: readonly Stretch[]

  constructor(stretches: readonly Stretch[]) {
    super()
    this.#stretches = stretches
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(joinedBytes(this.#stretches, { start, end }))
  }
}

/** The bytes from `start` up to `end`, in pieces. */
export async function* joinedBytes(
  stretches: readonly Stretch[],
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array> {
  let offset = 0
  for (const stretch of stretches) {
    const from = Math.max(0, start - offset)
    const to = Math.min(stretch.length, end - offset)
    offset += stretch.length
    if (from >= to) continue
    if ('bytes' in stretch) yield stretch.bytes.subarray(from, to)
    else yield* createReadStream(stretch.file, { start: from, end: to - 1 }) as AsyncIterable<Buffer>
  }
}
