import type { Engine } from '../local-models/engine.js'
import { generationRules } from '../local-models/sampling.js'
import { decodeSound } from './decode-sound.js'
import { listMedia, type Opening, refuse } from './request-content.js'

/** The length of the pieces in which Whisper hears a longer recording. */
const pieceSeconds = 30

/** Opens a model that writes down speech. It hears one recording; the text of the prompt has no effect. */
export async function openSpeechModel({ library, name, options, language, openMediaFile }: Opening): Promise<Engine> {
  const recognise = await library.pipeline('automatic-speech-recognition', name, options)
  const rate = recognise.processor.feature_extractor?.config.sampling_rate ?? 16_000
  return {
    async answer(request, signal) {
      const [digest, ...otherDigests] = listMedia(request, 'audio')
      if (request.input.type !== 'generate_until' || digest === undefined || otherDigests.length > 0)
        throw refuse('this model writes down the speech of one recording (generate_until)')
      const { generation } = request
      const rules = generationRules(generation, { backend: 'transformers_js', defaultMaxNewTokens: 1 })
      if (rules.sampling !== undefined) throw refuse('speech is written down greedily: leave the temperature at 0')
      const audio = await decodeSound(digest, { rate, signal, openMediaFile })
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
