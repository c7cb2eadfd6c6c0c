import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { countItems } from '../../base/collections/counts.js'
import { ownValue } from '../../base/values/named-values.js'
import { callLimited, TimeLimitError } from '../../base/time/time-limit.js'
import type { Wake } from '../../base/time/wake.js'
import { isUnscored } from '../../cache/facts/value-facts.js'
import type { RunningScore } from '../../cache/events.js'
import type { Aggregate, Judgement, Run, ScoreBody } from '../../cache/records.js'
import type { DraftScore, JudgeCursor, ReusedScore, ScoringStore } from '../../cache/store.js'
import type { Totals } from './aggregate.js'
import { groupAggregates, type GroupSpec } from './group-aggregates.js'
import { scoreChanges, type ValueChanges } from './changes.js'
import type { Scorer } from './scorer.js'
import { neverAnswered, settleScores, type Patience } from './settle-scores.js'

export interface JudgeWork extends Patience {
  readonly store: ScoringStore
  readonly run: Run
  readonly judgement: Judgement
  /** One scorer for each task, in the order of the run's tasks. */
  readonly scorers: readonly Scorer[]
  /** Groups whose aggregates are computed from those of their tasks. */
  readonly groups?: readonly GroupSpec[]
  /** Tells whether a doc is to be scored. The others stay without a score. @default all are */
  readonly isMeant?: ((task: number, doc: string) => boolean) | undefined
  /** Returns whether the model stage will add no more answers. */
  readonly upstreamFinished: () => Promise<boolean>
  /** The number of docs of each task. Called after the last answer was scored. */
  readonly totals: () => Promise<readonly Totals[]>
  /** Completes the tasks' aggregates before they are stored. @default unchanged */
  readonly refine?: ((aggregates: readonly Aggregate[]) => Promise<readonly Aggregate[]>) | undefined
  /** The earlier judgement to compare with, if there is one. Called after the last answer was scored. */
  readonly before?: () => Promise<Judgement | undefined>
  /** The folder for files that the tasks' aggregations write. @default they are discarded */
  readonly files?: string
  /** Notified after answers were committed. */
  readonly answered: Wake
  /** Aborted when this process adds no more answers, so that the judge stops waiting for further ones. */
  readonly lastAnswered?: AbortSignal
  /** The maximum number of docs that are scored and committed together. @default 1000 */
  readonly batch?: number
  /** The interval in milliseconds at which the judge looks for answers of other processes. @default 250 */
  readonly pollMs?: number
  /** The time to wait after an answer, in milliseconds, so that further answers are scored with it. @default 100, or 1000 for a store with expensive searches */
  readonly gatherMs?: number
}

/** The number of docs by outcome. Reused scores are included. */
export interface JudgeCounts {
  readonly docs: number
  readonly reused: number
  readonly unparsed: number
  /** Empty answers among the newly scored docs only. */
  readonly empty: number
  readonly judgeFailed: number
  readonly errors: number
}

export interface JudgeOutcome {
  /** True if every answered doc has a score and the aggregates are stored; false if the judge was drained. */
  readonly finished: boolean
  readonly judgement: Judgement
  readonly counts: JudgeCounts
  /** The values that changed since the earlier judgement, if there is one. */
  readonly moved?: { readonly since: Judgement; readonly values: readonly ValueChanges[] }
}

/**
 * Scores the answers of a run as they arrive, then stores the aggregates.
 *
 * It checks whether the model stage has finished before it looks for docs. Answers that are committed in between
 * are still found. A doc is scored only if all its requests have an answer.
 */
export async function judgeRun(work: JudgeWork): Promise<JudgeOutcome> {
  const counts = new Counter()
  const wake = (): void => work.answered.notify()
  work.drain.addEventListener('abort', wake, { once: true })
  try {
    const drained = await scoreAll(work, counts)
    if (drained) return { finished: false, judgement: work.judgement, counts: counts.total }
    const { aggregates, moved } = await aggregateAll(work)
    const judgement = await work.store.judgements.close(work.judgement, aggregates)
    return { finished: true, judgement, counts: counts.total, ...(moved && { moved }) }
  } finally {
    work.drain.removeEventListener('abort', wake)
  }
}

/** @returns true if the judge was drained. */
async function scoreAll(work: JudgeWork, counts: Counter): Promise<boolean> {
  const { store, judgement, drain } = work
  const hurry = AbortSignal.any([drain, ...(work.lastAnswered === undefined ? [] : [work.lastAnswered])])
  let cursor: JudgeCursor = { item: 0, response: 0 }
  let committed = Promise.resolve()
  let finished = false
  let isWhole = false
  while (!drain.aborted && !isWhole) {
    finished ||= await work.upstreamFinished()
    const batch = await store.judgements.docsToJudge(judgement, cursor, work.batch ?? 1000, { ownFirst: !finished })
    cursor = batch.next
    const docs = batch.docs.filter(doc => work.isMeant?.(doc.task, doc.id) !== false)
    const said = withoutBrokenOff(await scoreBatch(docs, work), drain)
    // The commit runs while the next docs are read and scored.
    if (said.length > 0) committed = both(committed, store.judgements.commitScores(judgement, said))
    counts.add(said, batch.reused, work)
    isWhole = batch.exhausted && finished && said.length === docs.length
    if (!batch.exhausted) await nextTurn()
    else if (!finished) await moreAnswers(work, hurry)
  }
  await committed
  return !isWhole
}

/** Waits for both promises. The empty handler prevents an unhandled rejection. The caller gets the error when it awaits the result. */
function both(first: Promise<void>, second: Promise<void>): Promise<void> {
  const ended = Promise.all([first, second]).then(() => undefined)
  ended.catch(() => undefined)
  return ended
}

/** Drops failed scores after an interruption: the interruption may have caused the failure. */
const withoutBrokenOff = (scores: readonly DraftScore[], { aborted }: AbortSignal): readonly DraftScore[] =>
  aborted ? scores.filter(({ body }) => !isUnscored(body)) : scores

/** Waits for further answers. Each search costs a transaction, so a search after every answer would slow down the model stage. */
async function moreAnswers(
  { store, answered, pollMs = 250, gatherMs = store.slowPollMs === undefined ? 100 : 1_000 }: JudgeWork,
  hurry: AbortSignal,
): Promise<void> {
  const { slowPollMs = pollMs } = store
  for (let waited = pollMs; !(await answered.wait(pollMs)); waited += pollMs)
    if (waited >= slowPollMs || hurry.aborted) break
  await pause(gatherMs, undefined, { signal: hurry }).catch((error: unknown) => {
    if (!hurry.aborted) throw error
  })
}

/** Milliseconds of scoring before the event loop gets a turn, for arriving answers, the display and Ctrl-C. */
const turnMs = 50

/** Scores all docs, or only the docs that were started before the drain. */
async function scoreBatch(docs: readonly DraftScore['doc'][], work: JudgeWork): Promise<readonly DraftScore[]> {
  const { scorers, drain } = work
  const bodies: (ScoreBody | Promise<ScoreBody>)[] = []
  while (bodies.length < docs.length && !drain.aborted) {
    scoreSome(docs, scorers, bodies)
    if (bodies.length < docs.length) await nextTurn()
  }
  const scored = await settleScores(bodies, work)
  return docs.slice(0, bodies.length).flatMap((doc, at) => {
    const body = scored[at]
    if (body !== undefined) return [{ doc, body }]
    return drain.aborted ? [] : [{ doc, body: selectScorer(scorers, doc.task).failed(doc, neverAnswered(work)) }]
  })
}

/**
 * Scores the next docs for one turn. If a doc's code exceeds the time limit, the doc's other values are scored, and the rest
 * of the docs waits for the next turn.
 */
function scoreSome(
  docs: readonly DraftScore['doc'][],
  scorers: readonly Scorer[],
  bodies: (ScoreBody | Promise<ScoreBody>)[],
): void {
  const end = performance.now() + turnMs
  // A call that is repeated goes on with the doc that was ended.
  const work = (): void => {
    for (const doc of docs.slice(bodies.length)) {
      const body = selectScorer(scorers, doc.task).score(doc)
      // The caller awaits the promise later and gets the error then.
      if (body instanceof Promise) body.catch(() => undefined)
      bodies.push(body)
      if (performance.now() > end) break
    }
  }
  try {
    const slow = scorers.find(scorer => scorer.needsTimeLimit)
    if (slow === undefined) work()
    else callLimited('scoring', work, slow.timeLimit)
  } catch (error) {
    const doc = docs[bodies.length]
    if (!(error instanceof TimeLimitError) || doc === undefined) throw error
    const body = selectScorer(scorers, doc.task).skip(doc, error.message)
    if (body instanceof Promise) body.catch(() => undefined)
    bodies.push(body)
  }
}

function selectScorer(scorers: readonly Scorer[], task: number): Scorer {
  const scorer = scorers[task]
  if (scorer === undefined) throw new Error(`internal error: no scorer for task number ${task}`)
  return scorer
}

/** Computes the aggregates and the changes in one pass over the scores. */
async function aggregateAll(
  work: JudgeWork,
): Promise<{ readonly aggregates: readonly Aggregate[]; readonly moved: JudgeOutcome['moved'] }> {
  const aggregators = work.scorers.map(scorer => scorer.aggregator())
  const since = await work.before?.()
  const changes = scoreChanges()
  for await (const { task, body, draw, media, before } of work.store.judgements.scores(work.judgement, since)) {
    aggregators[task]?.add(body, { draw, media })
    if (before !== undefined) changes.add(task, before, body)
  }
  for (const aggregator of aggregators) await aggregator.settle(work.files)
  const counted = await work.totals()
  const plain = aggregators.flatMap((aggregator, task) => aggregator.finish(counted[task] ?? { docs: 0 }))
  const own = (await work.refine?.(plain)) ?? plain
  return {
    aggregates: [...own, ...(await groupAggregates(work.groups ?? [], own))],
    moved: since && { since, values: changes.finish() },
  }
}

/** Adds up the outcomes of docs, and emits an event for each batch. */
class Counter {
  total: JudgeCounts = { docs: 0, reused: 0, unparsed: 0, empty: 0, judgeFailed: 0, errors: 0 }

  add(
    scores: readonly DraftScore[],
    reused: readonly ReusedScore[],
    { emit, scorers }: Pick<JudgeWork, 'emit' | 'scorers'>,
  ): void {
    const outcomes = [...scores.map(({ body }) => body.outcome), ...reused.map(({ outcome }) => outcome)]
    if (outcomes.length === 0) return
    const countOutcomes = (outcome: ScoreBody['outcome']): number =>
      outcomes.filter(docOutcome => docOutcome === outcome).length
    const batch: JudgeCounts = {
      docs: outcomes.length,
      reused: reused.length,
      unparsed: countOutcomes('unparsed'),
      empty: scores.filter(({ body }) => body.empty).length,
      judgeFailed: countOutcomes('judge_failed'),
      errors: countOutcomes('error'),
    }
    const { total } = this
    this.total = {
      docs: total.docs + batch.docs,
      reused: total.reused + batch.reused,
      unparsed: total.unparsed + batch.unparsed,
      empty: total.empty + batch.empty,
      judgeFailed: total.judgeFailed + batch.judgeFailed,
      errors: total.errors + batch.errors,
    }
    const { docs, unparsed, empty } = batch
    const first = scores.find(({ body }) => isUnscored(body))?.body.reason
    emit({
      type: 'docs-scored',
      docs,
      reused: batch.reused,
      unparsed,
      empty,
      failed: batch.judgeFailed + batch.errors,
      ...(first !== undefined && { firstReason: first }),
      tasks: docsByTask([...scores.map(({ doc }) => doc), ...reused], scorers),
      running: runningScores(scores, scorers),
    })
  }
}

const docsByTask = (docs: readonly { readonly task: number }[], scorers: readonly Scorer[]) =>
  Array.from(countItems(docs.map(({ task }) => task)), ([task, number]) => ({
    task: scorers[task]?.task ?? '',
    docs: number,
  }))

/** Sums and counts by task, from which the display computes running means. */
function runningScores(scores: readonly DraftScore[], scorers: readonly Scorer[]): readonly RunningScore[] {
  const sumsByTask = new Map<number, { sum: number; squares: number; n: number }>()
  for (const { doc, body } of scores) {
    const value = ownValue(body.values, scorers[doc.task]?.meanOf ?? '')
    if (typeof value !== 'number') continue
    const { sum, squares, n } = sumsByTask.get(doc.task) ?? { sum: 0, squares: 0, n: 0 }
    sumsByTask.set(doc.task, { sum: sum + value, squares: squares + value * value, n: n + 1 })
  }
  return [...sumsByTask].map(([task, sums]) => ({
    task: scorers[task]?.task ?? '',
    metric: scorers[task]?.meanOf ?? '',
    ...sums,
  }))
}
