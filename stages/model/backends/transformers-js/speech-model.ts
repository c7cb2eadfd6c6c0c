import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../../../base/errors/errors.js'
import { withTemporaryFolder } from '../../../../base/files/temporary-folder.js'
import { decoderInput, defaultLimits } from '../../../../base/processes/ffmpeg/decoder-input.js'
import { runDecoder } from '../../../../base/processes/ffmpeg/run-decoder.js'
import { AttemptError } from '../../model.js'
import type { Engine } from '../local-models/engine.js'
import { generationRules } from '../local-models/sampling.js'
import { listMedia, type Opening, refuse } from './request-content.js'

/** The length of the pieces in which Whisper hears a longer recording. */
const pieceSeconds = 30

/** Opens a model that writes down speech. It hears one recording; the text of the prompt has no effect. */
export async function openSpeechModel({ library, name, options, language, readMedia }: Opening): Promise<Engine> {
  const recognise = await library.pipeline('automatic-speech-recognition', name, options)
  const rate = recognise.processor.feature_extractor?.config.sampling_rate ?? 16_000
  return {
    async answer(request, signal) {
      const [digest, ...others] = listMedia(request, 'audio')
      if (request.input.type !== 'generate_until' || digest === undefined || others.length > 0)
        throw refuse('this model writes down the speech of one recording (generate_until)')
      const { generation } = request
      const rules = generationRules(generation, { backend: 'transformers_js', defaultMaxNewTokens: 1 })
      if (rules.sampling !== undefined) throw refuse('speech is written down greedily: leave the temperature at 0')
      const audio = await decodeSound(await readMedia(digest), { rate, signal, name: `audio ${digest}` })
      const { text } = await recognise(audio, {
        ...(generation.max_new_tokens !== undefined && { max_new_tokens: generation.max_new_tokens }),
        ...(audio.length > pieceSeconds * rate && { chunk_length_s: pieceSeconds }),
        ...(language !== undefined && { language, task: 'transcribe' }),
      })
      signal.throwIfAborted()
      return { body: { text, finishReason: 'stop' } }
    },
    async close() {
      await recognise.dispose()
    },
  }
}

/** Decodes a sound to one channel of values in [-1, 1]. @throws AttemptError `media` if ffmpeg cannot read it */
async function decodeSound(
  bytes: Uint8Array,
  { rate, signal, name }: { readonly rate: number; readonly signal: AbortSignal; readonly name: string },
): Promise<Float32Array> {
  return withTemporaryFolder('pipeline-sound', async folder => {
    const file = join(folder, 'sound')
    await writeFile(file, bytes)
    try {
      const { options, path } = await decoderInput(file, defaultLimits)
      const raw = ['-vn', '-ac', '1', '-ar', String(rate), '-f', 'f32le', '-']
      const { memoryMb } = defaultLimits
      const decoded = await runDecoder('ffmpeg', ['-v', 'error', ...options, '-i', path, ...raw], { memoryMb, signal })
      return new Float32Array(Uint8Array.from(decoded).buffer)
    } catch (error) {
      signal.throwIfAborted()
      throw new AttemptError('media', `${name} cannot be read as sound: ${messageOf(error)}`, {
        isRetryable: false,
        cause: error,
      })
    }
  })
}
