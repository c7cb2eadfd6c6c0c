/** The judge models that are named for some tasks or metrics. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { parseArguments } from '../argument-string.js'
import { namedRecord } from '../named-record.js'

/** A judge model by the name of its backend, with its arguments. */
export interface JudgeChoice {
  readonly model: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Judges by `TASK` or `TASK.METRIC`, which may be patterns with `*`. Several judges are a panel. */
export type JudgeChoices = Readonly<Record<string, readonly JudgeChoice[]>>

const expected = 'TASK[.METRIC]=BACKEND,model=…'

/**
 * Reads `TASK[.METRIC]=BACKEND,model=…`, and adds the judge to those of earlier flags. Several judges of one task or metric are a panel.
 *
 * @throws PipelineError if the text has another form
 */
export function addJudgeChoice(text: string, before: JudgeChoices | undefined, flag: string): JudgeChoices {
  const [, pattern = '', judge = ''] = /^\s*([^=,]+?)\s*=(.*)$/s.exec(text) ?? []
  if (pattern === '') throw new PipelineError('usage', `${flag}: expected ${expected}, given "${text}"`)
  const earlier = new Map(Object.entries(before ?? {}))
  return Object.fromEntries(earlier.set(pattern, [...(earlier.get(pattern) ?? []), readJudgeText(judge, flag)]))
}

/** Reads `BACKEND,model=…`. @throws PipelineError if no backend comes first */
export function readJudgeText(text: string, flag: string): JudgeChoice {
  const [, model = '', args = ''] = /^\s*([^=,]+?)\s*(?:,(.*))?$/s.exec(text) ?? []
  if (model === '')
    throw new PipelineError(
      'usage',
      `${flag}: expected the name of a backend and then its arguments, such as openai,model=gpt-4o, given "${text}"`,
    )
  return { model, args: parseArguments([args], flag) }
}

const judge = z.union([
  z.string().transform((text, context): JudgeChoice => {
    try {
      return readJudgeText(text, 'the judge')
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      context.addIssue({ code: 'custom', message: error.message })
      return z.NEVER
    }
  }),
  z
    .strictObject({ model: z.string().min(1), args: z.record(z.string(), z.json()).optional() })
    .transform(({ model, args = {} }): JudgeChoice => ({ model, args })),
])

/** The schema of a judge, or of a list of judges. */
export const judgeList = z.union([
  judge.transform((choice): readonly JudgeChoice[] => [choice]),
  z.array(judge).min(1).readonly(),
])

/** The schema for configuration files: a judge or a list of judges for each task or metric. */
export const judgeChoices = namedRecord(judgeList)
