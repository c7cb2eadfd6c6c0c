import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../../../base/errors/errors.js'
import { withTemporaryFolder } from '../../../../base/files/temporary-folder.js'
import { decoderInput, defaultLimits } from '../../../../base/processes/ffmpeg/decoder-input.js'
import { runDecoder } from '../../../../base/processes/ffmpeg/run-decoder.js'
import type { MediaDigest } from '../../../../cache/digest.js'
import { AttemptError } from '../../model.js'
import type { OpenMediaFile } from '../local-models/engine.js'

/** The model needs the whole recording in memory. An hour at 16 kHz has 230 MB. */
const mostSeconds = 3_600

/**
 * Decodes a sound to one channel of values in [-1, 1]. ffmpeg reads the medium's own file and writes the values to another one, so that they are in memory once.
 *
 * @param options `rate` is in values a second. `seconds` is the maximum length of the recording. @default an hour
 * @throws AttemptError `media` if ffmpeg cannot read it, or it is too long
 */
export async function decodeSound(
  digest: MediaDigest,
  {
    rate,
    signal,
    openMediaFile,
    seconds = mostSeconds,
  }: {
    readonly rate: number
    readonly signal: AbortSignal
    readonly openMediaFile: OpenMediaFile
    readonly seconds?: number
  },
): Promise<Float32Array> {
  await using medium = await openMediaFile(digest)
  return await withTemporaryFolder('pipeline-sound', async folder => {
    const raw = join(folder, 'sound.raw')
    try {
      const { options, path } = await decoderInput(medium.path, defaultLimits)
      const values = ['-vn', '-t', String(seconds + 1), '-ac', '1', '-ar', String(rate), '-f', 'f32le', raw]
      const { memoryMb } = defaultLimits
      await runDecoder('ffmpeg', ['-nostdin', '-v', 'error', ...options, '-i', path, ...values], { memoryMb, signal })
      const sound = await readFloats(raw)
      if (sound.length > seconds * rate)
        throw new Error(`it is longer than ${seconds / 60} min. Cut it into shorter recordings`)
      return sound
    } catch (error) {
      signal.throwIfAborted()
      throw new AttemptError('media', `audio ${digest} cannot be read as sound: ${messageOf(error)}`, {
        isRetryable: false,
        cause: error,
      })
    }
  })
}

async function readFloats(path: string): Promise<Float32Array> {
  await using file = await open(path)
  const values = new Float32Array(Math.floor((await file.stat()).size / Float32Array.BYTES_PER_ELEMENT))
  const bytes = new Uint8Array(values.buffer)
  let at = 0
  while (at < bytes.length) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, at)
    if (bytesRead === 0) throw new Error('the decoded sound is cut short')
    at += bytesRead
  }
  return values
}
