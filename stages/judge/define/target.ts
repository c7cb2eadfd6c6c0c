import { isList, type Json } from '../../../base/values/canonical-json.js'
import type { JudgeRecord } from '../../../cache/records.js'

/** The target(s) of a doc as texts. A whole number is an index where the doc has choices. */
export function referencesOf({ target, choices }: JudgeRecord): readonly string[] {
  const targets = isList(target) ? target.filter(one => one !== null) : [target]
  return targets.map(one => {
    if (typeof one === 'string') return one
    if (typeof one === 'number' && choices !== undefined) return choices[one] ?? String(one)
    return typeof one === 'object' ? JSON.stringify(one) : String(one)
  })
}

/** Whether the doc says what is right: a text or a number, or a list of some. */
export const hasTarget = ({ target }: JudgeRecord): boolean =>
  isList(target) ? target.some(one => one !== null) : target !== null

/** What is thrown where a metric asks a doc for the target that it does not have: compared with nothing, each answer would be wrong. */
export const noTarget = (): Error =>
  new Error(
    'the doc has no target: doc_to_target gives nothing (null or an empty list). Mend the data, or name a metric that needs no target, such as bypass, where a split has no answers',
  )

/**
 * The target(s) of a doc as indexes below `count`: a number is one, a text is looked for in each of `names` in turn, then read as
 * a number. What is none of these is left out.
 */
export function targetIndexes(target: Json, names: readonly (readonly string[])[], count: number): readonly number[] {
  const indexOf = (one: Json): number => {
    if (typeof one === 'number') return one
    if (typeof one !== 'string') return -1
    const named = names.map(list => list.indexOf(one)).find(index => index >= 0)
    return named ?? (/^\d+$/.test(one) ? Number(one) : -1)
  }
  const indexes = (isList(target) ? target : [target]).map(indexOf)
  return indexes.filter(index => Number.isInteger(index) && index >= 0 && index < count)
}
