// A model that makes up answers and log-likelihoods, and gets each prompt as one text, as the models of lm-evaluation-harness do.
import { createHash } from 'node:crypto'
import { affectsOutput, defineBackend, z } from 'pipeline'

const numberOf = (text, purpose) =>
  Number.parseInt(createHash('sha256').update(`${purpose}:${text}`).digest('hex').slice(0, 12), 16) / 2 ** 48

const textOf = ({ input }) =>
  input.messages
    .flatMap(({ content }) => (typeof content === 'string' ? [content] : content.map(part => part.text ?? '')))
    .join('\n') + (input.continuation ?? '')

export const baseModel = defineBackend({
  id: 'base_model',
  summary: 'made-up answers of a base model',
  args: z.object({ words: affectsOutput(z.array(z.string()).min(1)) }),
  form: 'text',
  accepts: ['text', 'image', 'audio', 'video', 'file'],
  requests: ['generate_until', 'loglikelihood', 'loglikelihood_rolling'],
  open: ({ words }) => ({
    async answer(request) {
      const text = textOf(request)
      if (request.input.type === 'generate_until')
        return { body: { text: words[Math.floor(numberOf(text, 'word') * words.length)], finishReason: 'stop' } }
      return {
        body: {
          text: '',
          finishReason: 'stop',
          logprob: -10 * numberOf(text, 'logprob'),
          continuationTokens: 1,
          isGreedy: numberOf(text, 'greedy') < 0.5,
        },
      }
    },
  }),
})
