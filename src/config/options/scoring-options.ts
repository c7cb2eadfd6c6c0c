import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { reasoningTags } from '../../../stages/judge/text/reasoning.js'
import { option } from '../option.js'

const expected = 'none, or pairs of start and end such as [["<think>","</think>"]]'

/** Options that control how answers are scored, beside the judge model. */
export const scoringOptions = {
  /** The parts that are removed from answers before filters, for tasks that do not say so themselves. @default the usual tags */
  reasoningTags: option({
    flag: '--reasoning-tags <tags>',
    help: 'for tasks without reasoning_tags: none, or pairs in JSON such as [["<think>","</think>"]]',
    docs: 'for tasks without `reasoning_tags`, also a key of a file: `none`, or pairs in JSON such as `[["<think>","</think>"]]`',
    read: (text: string, _: unknown, flag: string): z.output<typeof reasoningTags> => {
      const given = text.toLowerCase() === 'none' ? [] : reasoningTags.safeParse(parseJson(text)).data
      if (given !== undefined) return given
      throw new PipelineError('usage', `${flag}: expected ${expected}, given ${JSON.stringify(text)}`)
    },
    file: z
      .union([reasoningTags, z.enum(['none']).transform((): z.output<typeof reasoningTags> => [])])
      .describe(expected),
    // It changes scores of the same answers, so it makes no other run.
    isIdentity: false,
    stored: 'given',
  }),
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
