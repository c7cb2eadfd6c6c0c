import { RecentResults } from '../../../../base/collections/recent-map.js'
import type { Engine } from '../local-models/engine.js'
import { joinTexts, listMedia, type Opening, refuse } from './request-content.js'

/** The number of texts whose vectors are kept. Docs share their candidates, and the choices of a doc its prompt. */
const recentTexts = 1_000

/**
 * Opens a model that turns a text into a vector. The log-likelihood of a choice is the cosine between the prompt's text
 * and that choice, from −1 to 1, so that ranks and correlations follow from it.
 */
export async function openEmbeddingModel(opening: Opening): Promise<Engine> {
  const { library, name, options, config } = opening
  const extract = await library.pipeline('feature-extraction', name, options)
  const { tokenizer } = extract
  const pooling = opening.pooling ?? config.pooling ?? 'mean'
  const most = Math.min(config.maxPositions, config.maxTokens, tokenizer.model_max_length ?? Infinity)
  const vectors = new RecentResults<Float32Array>(recentTexts)
  const embed = async (text: string): Promise<Float32Array> => {
    const { length } = tokenizer.encode(text)
    // The library cuts the text, so that choices may lose what tells them apart.
    if (length > most) throw refuse(`the text has ${length} tokens, and the model reads at most ${most}`)
    const { data } = (await extract(text, { pooling, normalize: true })).to('float32')
    if (data instanceof Float32Array) return data
    throw refuse('the model gives no vectors')
  }
  return {
    async answer(request) {
      if (request.input.type !== 'loglikelihood' || listMedia(request, 'image').length > 0)
        throw refuse(`models of the type ${config.modelType} compare the texts of prompt and choice, by loglikelihood`)
      const texts = [joinTexts(request).trim(), (request.input.continuation ?? '').trim()]
      if (texts.includes('')) throw refuse('a similarity needs two texts, and one is empty')
      const [prompt, choice] = await Promise.all(texts.map(text => vectors.get(text, () => embed(text))))
      return {
        body: {
          text: '',
          finishReason: 'stop',
          logprob: cosine(prompt, choice),
          continuationTokens: tokenizer.encode(texts[1] ?? '', { add_special_tokens: false }).length,
        },
      }
    },
    async close() {
      await extract.dispose()
    },
  }
}

/** The cosine of two vectors of length 1. Rounding makes the product of a vector with itself a little more than 1. */
export const cosine = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number =>
  Math.min(
    1,
    Math.max(
      -1,
      a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0),
    ),
  )
