/** What two judgements of one run differ in: their rules, and what came of them. */
import { canonicalJson, type Json } from '../../base/canonical-json.js'
import type { ScoreBody, TaskJudging } from '../../cache/records.js'

export interface RuleChanges {
  /** Fields of the configuration, by their path: `metric_list[0].ignore_case`. */
  readonly config: readonly { readonly path: string; readonly before?: Json; readonly after?: Json }[]
  /** Files and packages of the scorer's code. */
  readonly code: readonly { readonly path: string; readonly change: 'added' | 'removed' | 'changed' }[]
}

/** Why scores may differ. */
export function ruleChanges(before: TaskJudging, after: TaskJudging): RuleChanges {
  return {
    config: fieldChanges('', before.config, after.config),
    code: [
      ...entryChanges(before.scorer.files, after.scorer.files),
      ...entryChanges(before.scorer.packages ?? {}, after.scorer.packages ?? {}),
      ...entryChanges(versionOf(before), versionOf(after)),
    ],
  }
}

const versionOf = ({ scorer }: TaskJudging): Readonly<Record<string, string>> =>
  scorer.version === undefined ? {} : { version: scorer.version }

function fieldChanges(path: string, before: Json | undefined, after: Json | undefined): RuleChanges['config'] {
  if (textOf(before) === textOf(after)) return []
  const [old, now] = [membersOf(before), membersOf(after)]
  if (old !== undefined && now !== undefined && old.isList === now.isList) {
    const names = [...new Set([...Object.keys(old.members), ...Object.keys(now.members)])]
    return names.flatMap(name => {
      const step = old.isList ? `[${name}]` : path === '' ? name : `.${name}`
      return fieldChanges(path + step, old.members[name], now.members[name])
    })
  }
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }]
}

const textOf = (value: Json | undefined): string | undefined => (value === undefined ? undefined : canonicalJson(value))

interface Members {
  readonly isList: boolean
  readonly members: Readonly<Record<string, Json | undefined>>
}

function membersOf(value: Json | undefined): Members | undefined {
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

/** A score with its place in the run; both streams are in the order of task, then index. */
export interface PlacedScore {
  readonly task: number
  readonly index: number
  readonly body: ScoreBody
}

/** What became of one value of one task from one judgement to the next. */
export interface ValueChanges {
  readonly task: number
  /** As in the scores: `metric` or `metric,filter`. */
  readonly value: string
  /** Docs that have a number in both. */
  readonly docs: number
  /** Their means. */
  readonly before: number
  readonly after: number
  /** Indexes of the docs whose number grew (wrong → right), and fell. */
  readonly up: readonly number[]
  readonly down: readonly number[]
}

export interface ScoreChanges {
  readonly values: readonly ValueChanges[]
  /** Docs whose outcome is another one, or that have a score in one judgement only (`none` in the other). */
  readonly outcomes: readonly {
    readonly task: number
    readonly index: number
    readonly before: ScoreBody['outcome'] | 'none'
    readonly after: ScoreBody['outcome'] | 'none'
  }[]
}

/** What moved between two judgements. Keeps only what differs, and sums. */
export async function scoreChanges(
  before: AsyncIterable<PlacedScore> | Iterable<PlacedScore>,
  after: AsyncIterable<PlacedScore> | Iterable<PlacedScore>,
): Promise<ScoreChanges> {
  const sums = new Map<string, MutableChanges>()
  const outcomes: ScoreChanges['outcomes'][number][] = []
  for await (const { task, index, old, now } of sideBySide(before, after)) {
    const was = old?.outcome ?? 'none'
    const is = now?.outcome ?? 'none'
    if (was !== is) outcomes.push({ task, index, before: was, after: is })
    for (const [value, number] of Object.entries(now?.values ?? {})) {
      const earlier = old?.values[value]
      if (typeof number !== 'number' || typeof earlier !== 'number') continue
      const key = `${task} ${value}`
      const sum = sums.get(key) ?? { task, value, docs: 0, before: 0, after: 0, up: [], down: [] }
      sums.set(key, sum)
      sum.docs += 1
      sum.before += earlier
      sum.after += number
      if (number > earlier) sum.up.push(index)
      if (number < earlier) sum.down.push(index)
    }
  }
  const values = [...sums.values()].map(sum => ({ ...sum, before: sum.before / sum.docs, after: sum.after / sum.docs }))
  return { values, outcomes }
}

interface MutableChanges extends ValueChanges {
  docs: number
  before: number
  after: number
  up: number[]
  down: number[]
}

interface Both {
  readonly task: number
  readonly index: number
  readonly old?: ScoreBody
  readonly now?: ScoreBody
}

async function* sideBySide(
  before: AsyncIterable<PlacedScore> | Iterable<PlacedScore>,
  after: AsyncIterable<PlacedScore> | Iterable<PlacedScore>,
): AsyncGenerator<Both> {
  const left = iteratorOf(before)
  const right = iteratorOf(after)
  let [old, now] = [await left.next(), await right.next()]
  while (old.done !== true || now.done !== true) {
    const order = old.done === true ? 1 : now.done === true ? -1 : compare(old.value, now.value)
    const both: Both = {
      ...placeOf(order <= 0 ? old : now),
      ...(order <= 0 && old.done !== true && { old: old.value.body }),
      ...(order >= 0 && now.done !== true && { now: now.value.body }),
    }
    yield both
    if (order <= 0) old = await left.next()
    if (order >= 0) now = await right.next()
  }
}

const compare = (a: PlacedScore, b: PlacedScore): number => a.task - b.task || a.index - b.index

function placeOf(result: IteratorResult<PlacedScore, unknown>): { readonly task: number; readonly index: number } {
  if (result.done === true) throw new Error('internal error: no score left on that side')
  return { task: result.value.task, index: result.value.index }
}

const iteratorOf = async function* (
  scores: AsyncIterable<PlacedScore> | Iterable<PlacedScore>,
): AsyncGenerator<PlacedScore> {
  yield* scores
}
