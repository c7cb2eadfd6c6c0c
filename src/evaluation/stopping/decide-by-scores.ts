/** Decides by the stored scores of a run whether a task has enough docs, and computes the intervals that are valid then. */
import { ownValue } from '../../../base/values/named-values.js'
import { Wake } from '../../../base/time/wake.js'
import { hasFailed } from '../../../cache/facts/value-facts.js'
import type { Aggregate, Judgement, Run, ScoreBody, StopCondition } from '../../../cache/records.js'
import type { PlacedScore, Store } from '../../../cache/store.js'
import type { DocOrder } from '../../../stages/input/selection/ordered-docs.js'
import { rankDocs } from '../../../stages/input/selection/rank-docs.js'
import { noLabel } from '../../../stages/judge/score-marks.js'
import type { ScoreColumn, Scorer } from '../../../stages/judge/scorer.js'
import {
  computeAnytimeInterval,
  excludesZero,
  isNarrow,
  listLooks,
  type IntervalAim,
  type OrderedScores,
} from '../../../stages/judge/stopping/decide-stop.js'
import { realClock } from '../../clock.js'
import { readSelection } from '../../config/values/selection.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { findColumn, isBounded } from './plan-stopping.js'

interface Judged {
  readonly store: Store
  readonly run: Run
  readonly judgement: Judgement
  readonly scorers: readonly Scorer[]
}

/** The minimum time between two checks of scores: `ms` milliseconds, and `times` the duration of a check. */
const lookEvery = { ms: 100, times: 10 }

/** The end of the work that the scores of a task need. */
interface ScoreFlow {
  readonly drain: AbortSignal
  /** Aborted when this process sends no more requests. */
  readonly ended: AbortSignal
  /** True if only some of the docs are sent. Scores of the others never come. @default all are sent */
  readonly isPartial?: boolean
}

/** Returns the order in which a task's docs are sent, if the run has a stop condition. */
export function makeDocOrder(
  judged: Judged,
  task: number,
  { drain, ended, isPartial = false }: ScoreFlow,
): DocOrder | undefined {
  if (judged.run.asked.selection.stop_when === undefined) return undefined
  const look = new Wake()
  for (const signal of [drain, ended]) signal.addEventListener('abort', () => look.notify(), { once: true })
  return {
    listLooks,
    async decide(docs) {
      while (!drain.aborted) {
        const startedAt = realClock.now()
        // It is read before the scores, so that the last scores are seen.
        const isOver = ended.aborted
        const scores = await readTaskScores(judged.store, judged.judgement, task)
        const missing = docs.filter(index => !scores.has(index))
        const areAllSeen = missing.length === 0 || (await areFailed(judged, task, missing))
        if (areAllSeen && (await isEnough(judged, task, { docs, scores }))) return 'enough'
        // Further docs would not be sent. The next start decides by the same scores.
        if (isOver || (isPartial && !areAllSeen)) return 'interrupted'
        if (areAllSeen) return 'more'
        await look.wait(Math.max(lookEvery.ms, lookEvery.times * (realClock.now() - startedAt)))
      }
      return 'interrupted'
    },
  }
}

/** The number of docs that a task could ask. */
const countPopulation = ({ asked, provenance }: Run, task: number): number => {
  const docs = provenance.population?.[asked.tasks[task]?.name ?? '']
  if (docs === undefined) throw new Error(`internal error: the docs of task number ${task} were not counted`)
  return docs
}

const aimAt = ({ run }: Pick<Judged, 'run'>, task: number, condition: StopCondition): IntervalAim =>
  condition.type === 'half-width' ? { halfWidth: condition.below } : { docs: countPopulation(run, task) }

type TaskScores = ReadonlyMap<number, Pick<PlacedScore, 'body' | 'media'>>

async function readTaskScores(store: Store, judgement: Judgement, task: number): Promise<TaskScores> {
  const scores = new Map<number, Pick<PlacedScore, 'body' | 'media'>>()
  for await (const score of store.judgements.scores(judgement, undefined, { task, index: -1 })) {
    if (score.task !== task) break
    scores.set(score.index, score)
  }
  return scores
}

async function areFailed({ store, run }: Judged, task: number, docs: readonly number[]): Promise<boolean> {
  const name = run.asked.tasks[task]?.name
  const failures = await store.requests.failures(run)
  const failed = new Set(failures.flatMap(failure => (failure.task === name ? [failure.index] : [])))
  return docs.every(index => failed.has(index))
}

async function isEnough(
  judged: Judged,
  task: number,
  { docs, scores }: { readonly docs: readonly number[]; readonly scores: TaskScores },
): Promise<boolean> {
  const condition = readSelection(judged.run.asked.selection).stopWhen
  const scorer = judged.scorers[task]
  const column = condition && scorer && findColumn(condition, scorer)
  if (condition === undefined || column === undefined || !isBounded(column)) return false
  if (scorer?.clustersMedia === true && shareMedia(docs, scores)) return false
  if (condition.type === 'half-width') {
    const interval = computeAnytimeInterval(
      listValues(column.name, { docs, scores }),
      column.range,
      aimAt(judged, task, condition),
    )
    return interval !== undefined && isNarrow(interval, condition.below)
  }
  const { interval } = await compareWithRun(judged, { task, run: condition.run, column, docs, scores })
  return interval !== undefined && excludesZero(interval)
}

/** Tells whether two docs show one medium. They depend on each other, which a confidence sequence cannot count. */
function shareMedia(docs: readonly number[], scores: TaskScores): boolean {
  const media = docs.flatMap(index => scores.get(index)?.media ?? [])
  return new Set(media).size < media.length
}

/** Lists the values of docs. A doc without a score is undefined. A doc to which the metric does not apply is left out. */
function listValues(
  name: string,
  { docs, scores }: { readonly docs: readonly number[]; readonly scores: TaskScores },
): OrderedScores {
  return docs.flatMap(index => readValue(name, scores.get(index)?.body))
}

function readValue(name: string, body: ScoreBody | undefined): readonly (number | undefined)[] {
  if (body === undefined || hasFailed(body, name)) return [undefined]
  const value = ownValue(body.values, name)
  return typeof value === 'number' ? [value] : []
}

/** Computes the interval of the paired difference from another run. Docs with a missing score count as the extremes. */
async function compareWithRun(
  { store, run }: Judged,
  {
    task,
    run: name,
    column: {
      name: value,
      range: [low, high],
    },
    docs,
    scores,
  }: {
    readonly task: number
    readonly run: string
    readonly column: ScoreColumn & { readonly range: readonly [number, number] }
    readonly docs: readonly number[]
    readonly scores: TaskScores
  },
): Promise<{ readonly value: number; readonly interval: readonly [number, number] | undefined }> {
  const other = await openRun(store, name)
  const otherTask = other.run.asked.tasks.findIndex(({ name: otherName }) => otherName === run.asked.tasks[task]?.name)
  const others =
    other.judgement === undefined
      ? new Map<number, PlacedScore>()
      : await readTaskScores(store, other.judgement, otherTask)
  const differences = docs.flatMap((index): readonly (number | undefined)[] => {
    const [own, theirs] = [readValue(value, scores.get(index)?.body), readValue(value, others.get(index)?.body)]
    // The metric does not apply to the doc.
    if (own.length === 0 || theirs.length === 0) return []
    const [[a], [b]] = [own, theirs]
    return [a === undefined || b === undefined ? undefined : a - b]
  })
  const definedDifferences = differences.filter(difference => difference !== undefined)
  const width = high - low
  return {
    value: definedDifferences.reduce((sum, difference) => sum + difference, 0) / definedDifferences.length,
    interval: computeAnytimeInterval(differences, [-width, width], { docs: countPopulation(run, task) }),
  }
}

/**
 * Replaces intervals of means by confidence sequences if the run has a stop condition, because scores decided the number of docs. Other aggregates
 * lose their interval. Docs that share media keep the clustered interval, because such a run does not stop by its scores.
 */
export async function withAnytimeIntervals(
  judged: Judged,
  aggregates: readonly Aggregate[],
): Promise<readonly Aggregate[]> {
  const { store, run, judgement, scorers } = judged
  const { stopWhen: condition, subsetSeed = 0 } = readSelection(run.asked.selection)
  if (condition === undefined) return aggregates
  const refined: Aggregate[] = []
  for (const [task, scorer] of scorers.entries()) {
    const scores = await readTaskScores(store, judgement, task)
    const docs = rankDocs(await store.docs.indices(run, task), subsetSeed)
    const stopping = { docs: countPopulation(run, task) }
    const aim = aimAt(judged, task, condition)
    for (const aggregate of aggregates.filter(({ task: name }) => name === scorer.task)) {
      if (aggregate.media !== undefined) {
        refined.push({
          ...aggregate,
          note: aggregate.note === undefined ? sharedMedia : `${aggregate.note}; ${sharedMedia}`,
        })
        continue
      }
      const column = scorer.columns.find(
        ({ metric, filter }) => metric === aggregate.metric && filter === aggregate.filter,
      )
      const interval =
        column === undefined || !isBounded(column) || aggregate.draws !== undefined
          ? undefined
          : computeAnytimeInterval(listGroupValues(column.name, aggregate, { docs, scores }), column.range, aim)
      if (column === undefined || !isBounded(column) || interval === undefined) {
        refined.push({ ...aggregate, interval: null, intervalMethod: 'none' })
        continue
      }
      const isChecked = aggregate.group === undefined && findColumn(condition, scorer) === column
      const difference =
        isChecked && condition.type === 'decided'
          ? await compareWithRun(judged, { task, run: condition.run, column, docs, scores })
          : undefined
      refined.push({
        ...aggregate,
        ...{ interval, intervalMethod: 'confidence_sequence' },
        ...(isChecked && {
          stopping: {
            ...stopping,
            ...(condition.type === 'decided' &&
              difference?.interval && {
                difference: { run: condition.run, value: difference.value, interval: difference.interval },
              }),
          },
        }),
      })
    }
  }
  return refined
}

const sharedMedia = 'docs share media, so that scores do not stop the run early'

/** The values of scored docs, of one group of the breakdown if the aggregate is about one. */
function listGroupValues(
  name: string,
  { group }: Pick<Aggregate, 'group'>,
  { docs, scores }: { readonly docs: readonly number[]; readonly scores: TaskScores },
): OrderedScores {
  const own = docs.filter(index => {
    const body = scores.get(index)?.body
    return (
      body !== undefined && (group === undefined || (ownValue(body.groups, group.field) ?? noLabel) === group.label)
    )
  })
  return listValues(name, { docs: own, scores }).filter(value => value !== undefined)
}
