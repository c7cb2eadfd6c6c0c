import type { Json } from '../../base/canonical-json.js'
import type { JudgeRecord } from '../../cache/records.js'

/** The target(s) of a doc as texts. A whole number is an index where the doc has choices. */
export function referencesOf({ target, choices }: JudgeRecord): readonly string[] {
  const targets = isList(target) ? target : [target]
  return targets.map(one => {
    if (typeof one === 'string') return one
    if (typeof one === 'number' && choices !== undefined) return choices[one] ?? String(one)
    return typeof one === 'object' ? JSON.stringify(one) : String(one)
  })
}

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

// Array.isArray does not narrow a readonly array out of a union.
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
