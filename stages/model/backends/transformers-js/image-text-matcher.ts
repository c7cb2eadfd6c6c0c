import type { Engine } from '../local-models/engine.js'
import { joinTexts, listMedia, type Opening, readPicture, refuse } from './request-content.js'

/** Types of models that score how well a text fits an image. */
export const matcherTypes: ReadonlySet<string> = new Set(['clip', 'chinese_clip', 'siglip'])

/**
 * Opens CLIP or SigLIP for zero-shot classification. The log-likelihood of a choice is how well the prompt's text with
 * that choice fits the image. CLIP's scores have no zero point, so only differences between choices mean something.
 */
export async function openImageTextMatcher(opening: Opening): Promise<Engine> {
  const { library, name, options, config } = opening
  const [tokenizer, processor, model] = await Promise.all([
    library.AutoTokenizer.from_pretrained(name),
    library.AutoProcessor.from_pretrained(name),
    library.AutoModel.from_pretrained(name, options),
  ])
  const isSiglip = config.modelType === 'siglip'
  return {
    async answer(request) {
      const [digest, ...otherDigests] = listMedia(request, 'image')
      if (request.input.type !== 'loglikelihood' || digest === undefined || otherDigests.length > 0)
        throw refuse(`models of the type ${config.modelType} score choices for one image, by loglikelihood`)
      const text = `${joinTexts(request)}${request.input.continuation ?? ''}`.trim()
      const { pixel_values: pixels } = await processor([await readPicture(digest, opening)])
      const tokens = tokenizer(text, { padding: isSiglip ? 'max_length' : true })
      const length = tokens['input_ids']?.dims.at(-1) ?? 0
      const most = Math.min(config.maxPositions, tokenizer.model_max_length ?? Infinity)
      // The library's own pipeline cuts the text, so that choices may lose what tells them apart.
      if (length > most) throw refuse(`the text has ${length} tokens, and the model reads at most ${most}`)
      const scores = (await model({ ...tokens, pixel_values: pixels }))['logits_per_image']?.to('float32')
      const score = Number(scores?.data[0])
      return {
        body: {
          text: '',
          finishReason: 'stop',
          logprob: isSiglip ? -Math.log1p(Math.exp(-score)) : score,
          continuationTokens: tokenizer.encode(request.input.continuation ?? '', { add_special_tokens: false }).length,
        },
      }
    },
    async close() {
      await model.dispose()
    },
  }
}
