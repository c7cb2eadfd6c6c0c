/** An ESLint rule: a docstring is a sentence. One that begins with a question word or a preposition (`What the page shows.`) is a fragment without a verb of its own. */

const fragment = /^\*[\s*]*(What|How|Why|Which|Where|Who(?:ever|se|m)?|By how|In which|Of|So many|Such as)\b/

export const docOpenings = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { sentence: 'Begin with a verb or a noun ("Returns …", "The number of …") instead of "{{word}}".' },
  },
  create: ({ report, sourceCode }) => ({
    Program: () => {
      for (const { type, value, loc } of sourceCode.getAllComments()) {
        const word = type === 'Block' ? fragment.exec(value)?.[1] : undefined
        if (word !== undefined) report({ loc, messageId: 'sentence', data: { word } })
      }
    },
  }),
}
