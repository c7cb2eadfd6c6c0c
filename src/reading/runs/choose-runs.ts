/** Chooses and sorts the runs of a list. */
import { compileNamePattern } from './name-pattern.js'
import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { runOverview, type RunOverview } from '../progress/run-overview.js'
import { firstScore, type FirstScore } from './first-score.js'
import { isAuxiliary } from './is-auxiliary.js'

/** The states of runs, for filters. */
export const runStates = [
  'running',
  'complete',
  'incomplete',
  'not judged',
] as const satisfies readonly RunOverview['state'][]

/** The orders of a list: the newest last, the best score of each metric first, or by name. */
export const runSorts = ['date', 'score', 'name'] as const

/** The runs to list. Conditions that are absent hold for every run. */
export interface RunChoice {
  /** A pattern with `*`, `?` and `[abc]`, or a part of the model's label. The case is ignored. */
  readonly model?: string | undefined
  /** A pattern, or a part of the name of a task or group. The case is ignored. */
  readonly task?: string | undefined
  readonly state?: (typeof runStates)[number] | undefined
  /** Only runs made at this time or later. Milliseconds since 1970. */
  readonly since?: number | undefined
  /** Only runs made before this time. Milliseconds since 1970. */
  readonly before?: number | undefined
  readonly tag?: string | undefined
  /** @default 'date' */
  readonly sort?: (typeof runSorts)[number] | undefined
  /** True to include runs that hold the requests of a judge or of a conversation's rounds. @default false */
  readonly all?: boolean | undefined
  /** The maximum number of runs: the newest, or the first ones of another order. */
  readonly limit?: number | undefined
}

/** Reads the label of a run's model. */
type LabelModel = (run: Run) => string

/**
 * Finds the runs of a list.
 *
 * @param labelModel returns the label of a run's model, to compare with `choice.model`
 * @returns the newest last, or in the order of `choice.sort`
 */
export async function chooseRuns(store: Store, choice: RunChoice, labelModel: LabelModel): Promise<readonly Run[]> {
  const { sort = 'date', limit, state } = choice
  if (isPlain(choice) && limit !== undefined) return (await store.runs.page({ limit })).runs.toReversed()
  const tags = choice.tag === undefined ? undefined : await store.runs.tags()
  const matches = compileChoice(choice, labelModel)
  const matchingRuns = (await store.runs.list()).filter(
    run => matches(run) && (choice.tag === undefined || tags?.get(run.ref)?.includes(choice.tag.normalize('NFC'))),
  )
  const inState: Run[] = []
  for (const run of matchingRuns)
    if (state === undefined || (await runOverview(store, run)).state === state) inState.push(run)
  if (sort === 'date') return limit === undefined ? inState : inState.slice(-limit)
  const sorted = sort === 'name' ? inState.toSorted(compareNames) : await sortByScore(store, inState)
  return sorted.slice(0, limit)
}

const isPlain = ({ sort = 'date', model, task, state, since, before, tag, all = false }: RunChoice): boolean =>
  sort === 'date' && !all && [model, task, state, since, before, tag].every(value => value === undefined)

function compileChoice({ model, task, since, before, all }: RunChoice, labelModel: LabelModel): (run: Run) => boolean {
  const isModel = compileNamePattern(model)
  const isTask = compileNamePattern(task)
  return run =>
    (all === true || !isAuxiliary(run)) &&
    run.createdAt >= (since ?? -Infinity) &&
    run.createdAt < (before ?? Infinity) &&
    isModel(labelModel(run)) &&
    [...run.asked.tasks, ...(run.asked.groups ?? [])].some(({ name }) => isTask(name))
}

const compareNames = (a: Run, b: Run): number => a.name.localeCompare(b.name)

/** Values of different metrics cannot be compared, so that the runs of one metric stand together, those without a score last. */
async function sortByScore(store: Store, runs: readonly Run[]): Promise<readonly Run[]> {
  const scored: (readonly [Run, FirstScore | undefined])[] = []
  for (const run of runs) scored.push([run, firstScore(await store.judgements.list(run))])
  return scored.sort(([, a], [, b]) => compareScores(a?.aggregate, b?.aggregate)).map(([run]) => run)
}

type Scored = FirstScore['aggregate'] | undefined

function compareScores(a: Scored, b: Scored): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  const kind = ({ task, metric, filter }: NonNullable<Scored>): string => JSON.stringify([task, metric, filter])
  if (kind(a) !== kind(b)) return kind(a).localeCompare(kind(b))
  if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
  return a.higherIsBetter ? b.value - a.value : a.value - b.value
}
