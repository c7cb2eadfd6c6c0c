import type { Readable } from 'node:stream'
import { streamingSha256, type MediaDigest } from '../../digest.js'
import { DamagedMediumError, missingMedium } from '../medium-errors.js'
import type { Bucket } from './bucket.js'
import { silenceError } from './s3-error.js'

/** Receives an object's bytes. A medium that arrives damaged is begun again. */
export interface Sink {
  /** Forgets all bytes so far. */
  restart(): Promise<void>
  write(bytes: Uint8Array): Promise<void>
}

/** A medium that arrives damaged is read this often, if it differs each time. */
const mostReads = 4

/**
 * Reads a medium. Each byte is hashed, because servers and networks change bytes without a sign. After a cut, the rest is read.
 *
 * @returns the size
 * @throws Error with the code `ENOENT` if the medium is missing; DamagedMediumError if the object has other bytes
 */
export async function downloadMedium(
  bucket: Bucket,
  { digest, name }: { readonly digest: MediaDigest; readonly name: string },
  sink: Sink,
): Promise<number> {
  const wrong = new Set<string>()
  for (let reads = 1; ; reads++) {
    const download = await downloadOnce(bucket, name, sink)
    if (download === undefined) throw missingMedium(digest)
    if (download.digest === digest) return download.bytes
    // If the bytes are wrong twice in the same way, the object itself is damaged.
    if (wrong.has(download.digest) || reads === mostReads)
      throw new DamagedMediumError(digest, `in object storage (${bucket.locate(name)} has other bytes)`)
    wrong.add(download.digest)
  }
}

interface Downloaded {
  readonly digest: MediaDigest
  readonly bytes: number
}

async function downloadOnce(bucket: Bucket, name: string, sink: Sink): Promise<Downloaded | undefined> {
  let received = 0
  let size: number | undefined
  let hash = streamingSha256<'media'>()
  const restart = async (): Promise<void> => {
    received = 0
    hash = streamingSha256<'media'>()
    await sink.restart()
  }
  const readRest = async (): Promise<Downloaded | undefined> => {
    const stream = await bucket.openStream(name, received)
    if (stream === undefined) return undefined
    if (stream.from !== received) await restart()
    size = stream.size
    for await (const piece of untilSilence(stream.body, bucket.silenceMs)) {
      hash.update(piece)
      await sink.write(piece)
      received += piece.length
    }
    if (size !== undefined && received < size) throw cutError()
    return { digest: hash.digest(), bytes: received }
  }
  await restart()
  // A cut after some bytes is no reason for a pause.
  return bucket.patience.persist(async () => {
    for (;;) {
      const before = received
      try {
        return await readRest()
      } catch (error) {
        // A connection that breaks after the last byte does no harm.
        if (size !== undefined && received === size) return { digest: hash.digest(), bytes: received }
        if (received <= before) throw error
      }
    }
  })
}

const cutError = (): Error => Object.assign(new Error('the connection was cut'), { code: 'ECONNRESET' })

/** Reads a stream, and gives it up if nothing arrives for long. */
async function* untilSilence(body: Readable, silenceMs: number): AsyncGenerator<Buffer> {
  const giveUp = (): void => void body.destroy(silenceError())
  let timer = setTimeout(giveUp, silenceMs)
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      // The consumer of the piece may be slow.
      clearTimeout(timer)
      yield piece
      timer = setTimeout(giveUp, silenceMs)
    }
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
}
