import { pythonText } from '../../../base/python/python-text.js'
import { isList, type Json } from '../../../base/values/canonical-json.js'
import type { JudgeRecord } from '../../../cache/records.js'
import type { MetricInput } from './define-metric.js'

/** The targets of a doc as Python prints them. If the doc has choices, a whole number is an index of them. */
export function listReferences({ target, choices, printed }: JudgeRecord): readonly string[] {
  if (printed?.target !== undefined) return printed.target
  const targets = isList(target) ? target.filter(entry => entry !== null) : [target]
  return targets.map(entry => (typeof entry === 'number' ? choices?.[entry] : undefined) ?? pythonText(entry))
}

/** Returns whether the doc has a target that is not null and not an empty list. */
export const hasTarget = ({ target }: JudgeRecord): boolean =>
  isList(target) ? target.some(entry => entry !== null) : target !== null

/**
 * The error for a metric that reads the target of a doc without one. A comparison with nothing would count every
 * answer as wrong.
 */
const noTarget = (): Error =>
  new Error(
    'the doc has no target: doc_to_target gives nothing (null or an empty list). Fix the data, or name a metric that needs no target, such as bypass, if a split has no answers',
  )

/**
 * The targets of a doc as indexes below `count`. A number is an index. A text is looked up in each list of `names`,
 * then read as a number. Targets that match nothing are left out.
 */
export function targetIndexes(target: Json, names: readonly (readonly string[])[], count: number): readonly number[] {
  const findTargetIndex = (entry: Json): number => {
    if (typeof entry === 'number') return entry
    if (typeof entry !== 'string') return -1
    const choiceIndex = names.map(list => list.indexOf(entry)).find(index => index >= 0)
    return choiceIndex ?? (/^\d+$/.test(entry) ? Number(entry) : -1)
  }
  const indexes = (isList(target) ? target : [target]).map(findTargetIndex)
  return indexes.filter(index => Number.isInteger(index) && index >= 0 && index < count)
}

/**
 * An input that throws when `target` or `references` is read. Metrics that need no target can so judge docs without
 * one. A spread copy omits both properties and does not throw, which is fine for metrics that only collect answers.
 */
export function withoutTarget(input: Omit<MetricInput, 'references'>): MetricInput {
  const get = (): never => {
    throw noTarget()
  }
  const record = Object.defineProperty({ ...input.record }, 'target', { get, enumerable: false })
  return Object.defineProperty({ ...input, record, references: [] }, 'references', { get, enumerable: false })
}
