import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { ownValue } from '../../base/values/named-values.js'
import { limited, TimeLimitError } from '../../base/time/time-limit.js'
import type { Wake } from '../../base/time/wake.js'
import type { Emit, RunningScore } from '../../cache/events.js'
import type { Aggregate, Judgement, Run, ScoreBody } from '../../cache/records.js'
import type { DraftScore, JudgeCursor, ScoringStore } from '../../cache/store.js'
import type { Totals } from './aggregate.js'
import { groupAggregates, type GroupSpec } from './group-aggregates.js'
import { scoreChanges, type ValueChanges } from './changes.js'
import type { Scorer } from './scorer.js'

export interface JudgeWork {
  readonly store: ScoringStore
  readonly run: Run
  readonly judgement: Judgement
  /** In the order of the run's tasks. */
  readonly scorers: readonly Scorer[]
  /** Whose numbers are made of those of their tasks. */
  readonly groups?: readonly GroupSpec[]
  /** Whether no more answers will come. */
  readonly upstreamFinished: () => Promise<boolean>
  /** How many docs each task has; asked once nothing more comes. */
  readonly totals: () => Promise<readonly Totals[]>
  /** The judgement against which to tell what moved, if there is one; asked once nothing more comes. */
  readonly before?: () => Promise<Judgement | undefined>
  /** Notified when answers were committed. */
  readonly answered: Wake
  /** Finish the batch in hand and begin no other. */
  readonly drain: AbortSignal
  /** Aborted when this process brings no more answers: there is nothing to gather then. */
  readonly lastAnswered?: AbortSignal
  readonly emit: Emit
  /** Docs scored at once and committed together; 1000 where not given. */
  readonly batch?: number
  /** Milliseconds after which it looks again by itself, for the answers of other processes; 250 where not given. */
  readonly pollMs?: number
  /** Milliseconds in which further answers may come once one has, to be looked at together; 100 where not given. */
  readonly gatherMs?: number
}

/** What became of the docs that were looked at, reused scores among them. */
export interface JudgeCounts {
  readonly docs: number
  readonly reused: number
  readonly unparsed: number
  /** Of the newly scored. */
  readonly empty: number
  readonly judgeFailed: number
  readonly errors: number
}

export interface JudgeOutcome {
  /** Whether all answered docs have a score and the aggregates are stored; false when drained. */
  readonly finished: boolean
  readonly judgement: Judgement
  readonly counts: JudgeCounts
  /** What moved since the judgement before, if there is one. */
  readonly moved?: { readonly since: Judgement; readonly values: readonly ValueChanges[] }
}

/**
 * Scores the answers of a run as they come, until no more will, then stores the aggregates.
 *
 * The loop asks whether the stage before it is finished first, and looks for docs after: what is committed in between
 * is still found. A doc without an answer to each of its requests has no score.
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

/** @returns whether it was drained. */
async function scoreAll(work: JudgeWork, counts: Counter): Promise<boolean> {
  const { store, judgement, drain } = work
  const hurry = AbortSignal.any([drain, ...(work.lastAnswered === undefined ? [] : [work.lastAnswered])])
  let cursor: JudgeCursor = { item: 0, response: 0 }
  let committed = Promise.resolve()
  let finished = false
  let isWhole = false
  while (!drain.aborted && !isWhole) {
    finished ||= await work.upstreamFinished()
    const batch = await store.judgements.docsToJudge(judgement, cursor, work.batch ?? 1000)
    cursor = batch.next
    const said = withoutBrokenOff(await scoreBatch(batch.docs, work), drain)
    // While the disk takes them, the next are read and scored.
    if (said.length > 0) committed = both(committed, store.judgements.commitScores(judgement, said))
    counts.add(said, batch.reused, work)
    isWhole = batch.exhausted && finished && said.length === batch.docs.length
    if (!batch.exhausted) await nextTurn()
    else if (!finished) await moreAnswers(work, hurry)
  }
  await committed
  return !isWhole
}

/** Whoever awaits it at the end learns of a failure; until then nobody handles it. */
function both(one: Promise<void>, other: Promise<void>): Promise<void> {
  const ended = Promise.all([one, other]).then(() => undefined)
  ended.catch(() => undefined)
  return ended
}

/** What an interruption broke off says nothing of a doc. */
const withoutBrokenOff = (scores: readonly DraftScore[], { aborted }: AbortSignal): readonly DraftScore[] =>
  aborted ? scores.filter(({ body: { outcome } }) => outcome !== 'judge_failed' && outcome !== 'error') : scores

/** A look costs a transaction, however little it finds: looking after every answer would keep the store from the model. */
async function moreAnswers({ answered, pollMs = 250, gatherMs = 100 }: JudgeWork, hurry: AbortSignal): Promise<void> {
  await answered.wait(pollMs)
  await pause(gatherMs, undefined, { signal: hurry }).catch((error: unknown) => {
    if (!hurry.aborted) throw error
  })
}

/** Milliseconds of scoring after which everything else has its turn: answers that come, the display, Ctrl-C. */
const turnMs = 50

/** All docs, or those that were begun when it was drained. */
async function scoreBatch(
  docs: readonly DraftScore['doc'][],
  { scorers, drain }: Pick<JudgeWork, 'scorers' | 'drain'>,
): Promise<readonly DraftScore[]> {
  const bodies: (ScoreBody | Promise<ScoreBody>)[] = []
  while (bodies.length < docs.length && !drain.aborted) {
    scoreSome(docs, scorers, bodies)
    if (bodies.length < docs.length) await nextTurn()
  }
  const scored = await Promise.all(bodies.map(body => Promise.resolve(body)))
  return docs.slice(0, scored.length).map((doc, at) => ({ doc, body: bodyAt(scored, at) }))
}

/** Scores the next docs for one turn. One whose code does not end is an error, and those after it are scored in the next turn. */
function scoreSome(
  docs: readonly DraftScore['doc'][],
  scorers: readonly Scorer[],
  bodies: (ScoreBody | Promise<ScoreBody>)[],
): void {
  const end = performance.now() + turnMs
  const rest = docs.slice(bodies.length)
  const work = (): void => {
    for (const doc of rest) {
      const body = scorerOf(scorers, doc.task).score(doc)
      // Whoever awaits it later learns of it.
      if (body instanceof Promise) body.catch(() => undefined)
      bodies.push(body)
      if (performance.now() > end) break
    }
  }
  try {
    if (scorers.some(scorer => scorer.needsTimeLimit)) limited('scoring', work)
    else work()
  } catch (error) {
    const doc = docs[bodies.length]
    if (!(error instanceof TimeLimitError) || doc === undefined) throw error
    bodies.push(scorerOf(scorers, doc.task).failed(doc, error.message))
  }
}

function bodyAt(bodies: readonly ScoreBody[], at: number): ScoreBody {
  const body = bodies[at]
  if (body === undefined) throw new Error(`internal error: doc ${at} of a batch has no score`)
  return body
}

function scorerOf(scorers: readonly Scorer[], task: number): Scorer {
  const scorer = scorers[task]
  if (scorer === undefined) throw new Error(`internal error: no scorer for task number ${task}`)
  return scorer
}

/** Aggregates and what moved, in one pass over the scores. */
async function aggregateAll(
  work: JudgeWork,
): Promise<{ readonly aggregates: readonly Aggregate[]; readonly moved: JudgeOutcome['moved'] }> {
  const aggregators = work.scorers.map(scorer => scorer.aggregator())
  const since = await work.before?.()
  const changes = scoreChanges()
  for await (const { task, body, before } of work.store.judgements.scores(work.judgement, since)) {
    aggregators[task]?.add(body)
    if (before !== undefined) changes.add(task, before, body)
  }
  const counted = await work.totals()
  const own = aggregators.flatMap((aggregator, task) => aggregator.finish(counted[task] ?? { docs: 0 }))
  return {
    aggregates: [...own, ...groupAggregates(work.groups ?? [], own)],
    moved: since && { since, values: changes.finish() },
  }
}

/** Adds up what became of the docs, and tells of each batch. */
class Counter {
  total: JudgeCounts = { docs: 0, reused: 0, unparsed: 0, empty: 0, judgeFailed: 0, errors: 0 }

  add(
    scores: readonly DraftScore[],
    reused: readonly ScoreBody['outcome'][],
    { emit, scorers }: Pick<JudgeWork, 'emit' | 'scorers'>,
  ): void {
    const outcomes = [...scores.map(({ body }) => body.outcome), ...reused]
    if (outcomes.length === 0) return
    const having = (outcome: ScoreBody['outcome']): number => outcomes.filter(one => one === outcome).length
    const batch: JudgeCounts = {
      docs: outcomes.length,
      reused: reused.length,
      unparsed: having('unparsed'),
      empty: scores.filter(({ body }) => body.empty).length,
      judgeFailed: having('judge_failed'),
      errors: having('error'),
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
    emit({
      type: 'docs-scored',
      docs,
      reused: batch.reused,
      unparsed,
      empty,
      failed: batch.judgeFailed + batch.errors,
      running: runningScores(scores, scorers),
    })
  }
}

/** For the display: what the docs of each task have on average so far needs no more than this. */
function runningScores(scores: readonly DraftScore[], scorers: readonly Scorer[]): readonly RunningScore[] {
  const found = new Map<number, { sum: number; n: number }>()
  for (const { doc, body } of scores) {
    const value = ownValue(body.values, scorers[doc.task]?.meanOf ?? '')
    if (typeof value !== 'number') continue
    const { sum, n } = found.get(doc.task) ?? { sum: 0, n: 0 }
    found.set(doc.task, { sum: sum + value, n: n + 1 })
  }
  return [...found].map(([task, { sum, n }]) => ({
    task: scorers[task]?.task ?? '',
    metric: scorers[task]?.meanOf ?? '',
    sum,
    n,
  }))
}
