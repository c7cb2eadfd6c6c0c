import { defineTask, exactMatch, jsonl, z } from 'pipeline'

const schema = z.object({ id: z.string(), question: z.string(), answer: z.string() })

export const colours = defineTask({
  name: 'colours',
  module: import.meta.url,
  dataset: jsonl('./questions.jsonl', { schema }),
  prompt: doc => `${doc.question} Answer with one word.`,
  target: doc => doc.answer,
  generation: { maxNewTokens: 8 },
  filters: [text => text.replace(/\.$/, '')],
  metrics: {
    exact: exactMatch({ ignoreCase: true }),
    short: ({ text }) => text.split(' ').length === 1,
  },
})
