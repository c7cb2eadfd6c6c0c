/** Waveforms: the loudest point of each of n equal parts of a sound. */
import { decoderInput, defaultLimits, UnknownInputError } from '../../../../base/processes/ffmpeg/decoder-input.js'
import { DecoderError, awaitDecoderExit, startDecoder } from '../../../../base/processes/ffmpeg/run-decoder.js'
import { RefusedError } from '../../http/problems.js'
import type { MediaFile } from './media-file.js'

/** The sample rate for waveforms. Peaks need no higher rate. */
const sampleRate = 4000
/** Longer sounds are drawn up to here, in seconds. */
const mostSeconds = 4 * 3600
/** The time that one sound may take, in milliseconds. */
const mostMs = 20_000
/** Samples that one value of the finest waveform covers. Four hours then need about 2 MB. */
const fine = 100

/** @returns n values from 0 to 1. @throws RefusedError if ffmpeg is missing or cannot read the sound */
export async function waveformPeaks(medium: MediaFile, n: number): Promise<readonly number[]> {
  if (medium.kind !== 'audio' && medium.kind !== 'video') throw new RefusedError(415, 'the medium has no sound')
  const peaks = await finePeaks(medium.path, AbortSignal.timeout(mostMs))
  if (peaks.length === 0) throw unreadable()
  return Array.from({ length: n }, (_, part) => {
    const from = Math.floor((part * peaks.length) / n)
    const to = Math.max(from + 1, Math.floor(((part + 1) * peaks.length) / n))
    let most = 0
    for (let at = from; at < to; at += 1) most = Math.max(most, peaks[at] ?? 0)
    return Math.round((most / 32_768) * 1000) / 1000
  })
}

async function finePeaks(path: string, signal: AbortSignal): Promise<readonly number[]> {
  const output = ['-ac', '1', '-ar', String(sampleRate), '-t', String(mostSeconds), '-f', 's16le', 'pipe:1']
  const input = await decoderInput(path, defaultLimits).catch((error: unknown) => {
    throw error instanceof UnknownInputError ? unreadable() : error
  })
  const child = startDecoder(
    'ffmpeg',
    ['-nostdin', '-v', 'error', ...input.options, '-i', input.path, '-map', '0:a:0', ...output],
    { memoryMb: defaultLimits.memoryMb, signal },
  )
  child.stderr.resume()
  const ended = awaitDecoderExit(child)
  ended.catch(() => undefined)
  const peaks: number[] = []
  let [most, count] = [0, 0]
  let odd: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      const bytes = odd.length === 0 ? chunk : Buffer.concat([odd, chunk])
      const even = bytes.length - (bytes.length % 2)
      for (let at = 0; at < even; at += 2) {
        most = Math.max(most, Math.abs(bytes.readInt16LE(at)))
        count += 1
        if (count < fine) continue
        peaks.push(most)
        most = count = 0
      }
      odd = bytes.subarray(even)
    }
    const code = await ended
    if (count > 0) peaks.push(most)
    if (code !== 0) throw unreadable()
  } catch (error) {
    if (error instanceof DecoderError && error.reason === 'missing')
      throw new RefusedError(501, 'waveforms need ffmpeg, which is not installed on the machine of the server')
    if (signal.aborted) throw new RefusedError(503, 'the waveform takes too long')
    throw error
  }
  return peaks
}

const unreadable = (): RefusedError => new RefusedError(422, 'the sound cannot be decoded')
