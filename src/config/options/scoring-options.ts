import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { reasoningTags } from '../../../stages/judge/text/reasoning.js'
import { option } from '../option.js'

const expected = 'none, or pairs of start and end such as [["<think>","</think>"]]'

const rulePattern = /^(?:mean|first|max|min|majority|pass@[1-9]\d{0,5})$/
const expectedRules = 'pass@K, majority, mean, first, max or min, with commas between'

/** Options that control how answers are scored, beside the judge model. */
export const scoringOptions = {
  /** The parts that are removed from answers before filters, for tasks that do not say so themselves. @default the usual tags */
  reasoningTags: option({
    flag: '--reasoning-tags <tags>',
    help: 'for tasks without reasoning_tags: none, or pairs in JSON such as [["<think>","</think>"]]',
    docs: 'for tasks without `reasoning_tags`, also a key of a file: `none`, or pairs in JSON such as `[["<think>","</think>"]]`',
    read: (text: string, _: unknown, flag: string): z.output<typeof reasoningTags> => {
      const tags = text.toLowerCase() === 'none' ? [] : reasoningTags.safeParse(parseJson(text)).data
      if (tags !== undefined) return tags
      throw new PipelineError('usage', `${flag}: expected ${expected}, given ${JSON.stringify(text)}`)
    },
    file: z
      .union([reasoningTags, z.enum(['none']).transform((): z.output<typeof reasoningTags> => [])])
      .describe(expected),
    // It changes scores of the same answers, so it makes no other run.
    isIdentity: false,
    stored: 'given',
  }),
  /** The rules by which the samples of a doc become one value. Each metric is computed by each rule. @default as the tasks say */
  reduce: option({
    flag: '--reduce <rules>',
    help: 'with --repeats: compute each metric by these rules: pass@K, majority, mean, first, max, min, with commas between',
    read: (text: string, before: readonly string[] | undefined, flag: string): readonly string[] => {
      const rules = text.split(',').map(rule => rule.trim())
      if (rules.every(rule => rulePattern.test(rule))) return [...new Set([...(before ?? []), ...rules])]
      throw new PipelineError('usage', `${flag}: expected ${expectedRules}, given ${JSON.stringify(text)}`)
    },
    file: z
      .union([z.string(), z.array(z.string())])
      .transform((value): readonly string[] =>
        [value]
          .flat()
          .flatMap(text => text.split(','))
          .map(rule => rule.trim()),
      )
      .refine(rules => rules.length > 0 && rules.every(rule => rulePattern.test(rule)))
      .describe(expectedRules),
    program: {
      schema: z.array(z.string().regex(rulePattern)).min(1).readonly().describe(`a list of ${expectedRules}`),
      read: (rules: readonly string[]): readonly string[] => rules,
    },
    // It changes scores of the same answers, so it makes no other run.
    isIdentity: false,
    stored: 'given',
  }),
  /** The docs that are not independent in intervals. @default 'auto' */
  cluster: option({
    flag: '--cluster <what>',
    help: 'which docs form a cluster in intervals: "auto" (default: the task\'s cluster_key, else docs that show the same medium), "none", or docs with the same value of this field',
    file: z.string().min(1).describe('auto, none or a field'),
    // It changes intervals of the same answers, so it makes no other run.
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
