/** Compares two judgements of one run: their rules and their values. */
import { ownValue } from '../../base/values/named-values.js'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import type { ScoreBody, TaskJudging } from '../../cache/records.js'

export interface RuleChanges {
  /** Changed configuration fields by path, such as `metric_list[0].ignore_case`. */
  readonly config: readonly { readonly path: string; readonly before?: Json; readonly after?: Json }[]
  /** Changed files and packages of the scorer's code. */
  readonly code: readonly { readonly path: string; readonly change: 'added' | 'removed' | 'changed' }[]
}

/** The differences in rules that can explain different scores. */
export function ruleChanges(before: TaskJudging, after: TaskJudging): RuleChanges {
  return {
    config: fieldChanges('', before.config, after.config),
    code: [
      ...entryChanges(before.scorer.files, after.scorer.files),
      ...entryChanges(before.scorer.packages ?? {}, after.scorer.packages ?? {}),
      ...entryChanges(readVersion(before), readVersion(after)),
    ],
  }
}

const readVersion = ({ scorer }: TaskJudging): Readonly<Record<string, string>> =>
  scorer.version === undefined ? {} : { version: scorer.version }

function fieldChanges(path: string, before: Json | undefined, after: Json | undefined): RuleChanges['config'] {
  if (formatCanonical(before) === formatCanonical(after)) return []
  const [old, now] = [readMembers(before), readMembers(after)]
  if (old !== undefined && now !== undefined && old.isList === now.isList) {
    const names = [...new Set([...Object.keys(old.members), ...Object.keys(now.members)])]
    return names.flatMap(name => {
      const step = old.isList ? `[${name}]` : path === '' ? name : `.${name}`
      return fieldChanges(path + step, ownValue(old.members, name), ownValue(now.members, name))
    })
  }
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }]
}

const formatCanonical = (value: Json | undefined): string | undefined =>
  value === undefined ? undefined : canonicalJson(value)

interface Members {
  readonly isList: boolean
  readonly members: Readonly<Record<string, Json | undefined>>
}

function readMembers(value: Json | undefined): Members | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return { isList: Array.isArray(value), members: Object.fromEntries(Object.entries(value)) }
}

function entryChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): RuleChanges['code'] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return paths.flatMap(path => {
    if (before[path] === after[path]) return []
    return [
      {
        path,
        change: before[path] === undefined ? 'added' : after[path] === undefined ? 'removed' : 'changed',
      } as const,
    ]
  })
}

/** The changes of one value of one task between two judgements. */
export interface ValueChanges {
  readonly task: number
  /** The value's name as in the scores: `metric` or `metric,filter`. */
  readonly value: string
  /** The number of docs that have a number in both judgements. */
  readonly docs: number
  /** The mean over these docs, before and after; null if there are none. */
  readonly before: number | null
  readonly after: number | null
  /** Docs whose number grew (such as wrong → right), and docs whose number fell. */
  readonly up: number
  readonly down: number
  /** Docs that had a number and have none now, and the other way round. */
  readonly lost: number
  readonly gained: number
}

/** Compares the scores of docs one by one; it keeps only sums. */
export interface ScoreChanges {
  add(task: number, before: ScoreBody, after: ScoreBody): void
  finish(): readonly ValueChanges[]
}

export function scoreChanges(): ScoreChanges {
  const sums = new Map<string, Mutable<Sum>>()
  const count = (task: number, value: string, [earlier, now]: readonly [unknown, unknown]): void => {
    if (typeof earlier !== 'number' && typeof now !== 'number') return
    const key = `${task} ${value}`
    let sum = sums.get(key)
    if (sum === undefined)
      sums.set(key, (sum = { task, value, docs: 0, before: 0, after: 0, up: 0, down: 0, lost: 0, gained: 0 }))
    if (typeof earlier !== 'number') sum.gained += 1
    else if (typeof now !== 'number') sum.lost += 1
    else {
      sum.docs += 1
      sum.before += earlier
      sum.after += now
      if (now > earlier) sum.up += 1
      if (now < earlier) sum.down += 1
    }
  }
  return {
    add(task, before, after) {
      for (const value in after.values) count(task, value, [before.values[value], after.values[value]])
      for (const value in before.values)
        if (!(value in after.values)) count(task, value, [before.values[value], undefined])
    },
    finish: () =>
      [...sums.values()].map(sum =>
        sum.docs === 0
          ? { ...sum, before: null, after: null }
          : { ...sum, before: sum.before / sum.docs, after: sum.after / sum.docs },
      ),
  }
}

/** The sums of a value while docs are added. */
type Sum = ValueChanges & { readonly before: number; readonly after: number }

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }
