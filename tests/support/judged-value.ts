import type { Json } from '../../base/values/canonical-json.js'
import type { JudgeRecord } from '../../cache/records.js'
import type { MetricDefinition, Verdict } from '../../stages/judge/define/define-metric.js'
import { listReferences } from '../../stages/judge/define/target.js'
import { recordOf } from './judged.js'

/** Returns a metric's verdict on one answer, with arguments as in a task file. */
export function verdictOf(
  metric: MetricDefinition,
  answer: string,
  {
    target,
    choices,
    doc = {},
    args = {},
  }: {
    readonly target: Json
    readonly choices?: readonly string[]
    readonly doc?: JudgeRecord['doc']
    readonly args?: object
  },
): Verdict {
  const record = recordOf(target, { doc, ...(choices && { choices }) })
  const input = { text: answer, references: listReferences(record), record, bodies: [] }
  return metric.judge(input, metric.args.parse(args)) as Verdict
}

/** Returns the verdict's value, or null if the judge failed. */
export function valueOf(...asked: Parameters<typeof verdictOf>): Json {
  const verdict = verdictOf(...asked)
  return verdict.type === 'judge_failed' ? null : verdict.value
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
