import { sealRun } from '../../cache/bundle/seal.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Judgement, Run } from '../../cache/records.js'
import { isComplete, isSealable } from '../../cache/facts/run-state.js'
import type { OutcomeCounts, RunCounts, Store } from '../../cache/store.js'
import type { Stop } from '../../stages/model/budget/budget.js'
import { areSealsApart } from '../../cache/location.js'
import { realClock } from '../clock.js'
import { changesSince } from '../judging/judging-changes.js'
import type { EvalOutcome, Hooks } from '../config/settings.js'
import type { NotedSession } from './note-session.js'
import type { StageOutcomes } from './stages.js'

/** The facts of a run that needed no work, as they were read to decide that. */
export interface FinishedRun {
  readonly counts: RunCounts
  readonly scores: OutcomeCounts
}

/** The facts of an evaluation whose stages have ended. */
interface EndedEvaluation {
  readonly store: Store & PortableStore
  readonly run: Run
  readonly isNew: boolean
  readonly judgement?: Judgement
  readonly hooks: Hooks
  readonly startedAt: number
  readonly outcomes: StageOutcomes
  readonly session: Pick<NotedSession, 'leave'>
  readonly finished?: FinishedRun | undefined
  readonly stopped: Stop | undefined
  /** The reason why no further judge request was sent. */
  readonly judgeStopped?: string | undefined
}

/** Reads the outcome of an evaluation from the store. A complete run is sealed. */
export async function readOutcome(ended: EndedEvaluation): Promise<EvalOutcome> {
  const { store, run, judgement, hooks, outcomes, finished, stopped, judgeStopped } = ended
  const counts = finished?.counts ?? (await store.runs.counts(run))
  const isWhole = isSealable(counts) && !hooks.drain.aborted && !hooks.stop.aborted
  const isJudged = judgement === undefined || judgement.finishedAt !== undefined
  if (isWhole && isJudged && (await claimSeal(ended))) await sealRun(store, run)
  const asked = outcomes.infer?.answered ?? 0
  const scores = finished?.scores ?? (judgement === undefined ? {} : await store.judgements.outcomes(judgement))
  const changes = outcomes.judge && changesSince(run, outcomes.judge)
  const batches = await store.batches.open(run)
  const failures = Object.keys(counts.failed).length === 0 ? [] : await store.requests.failures(run)
  const unjudged = (scores.judge_failed ?? 0) + (scores.error ?? 0) + countUnaggregated(judgement)
  // A limit that the last request reached has stopped nothing.
  const isShort = !isComplete(counts) || unjudged > 0
  return {
    run,
    isNew: ended.isNew,
    counts,
    elapsedMs: realClock.now() - ended.startedAt,
    asked,
    ...(outcomes.infer !== undefined && outcomes.infer.failed > 0 ? { unanswered: outcomes.infer.failed } : {}),
    fromStore: Math.max(0, counts.answered - asked),
    failures,
    unjudged,
    ...(judgement === undefined ? {} : { judgement }),
    ...(changes === undefined ? {} : { changes }),
    ...(stopped === undefined || !isShort ? {} : { stopped }),
    ...(judgeStopped === undefined || unjudged === 0 ? {} : { judgeStopped }),
    ...(batches.length === 0 ? {} : { batches }),
  }
}

/**
 * Decides whether this process writes the tables of a run that is complete, which takes a minute for a million samples. Of several processes on the
 * run, only the last one writes them, since each changes the judgement when it ends. If each machine has tables of its own, no process that only looks
 * at the run writes them.
 */
async function claimSeal({ store, run, outcomes, session }: EndedEvaluation): Promise<boolean> {
  if (areSealsApart(store) && Object.keys(outcomes).length === 0) return false
  // After it left, the last of several that end together finds no other.
  await session.leave()
  return !(await store.runs.isWorkedOnElsewhere(run))
}

/** Counts aggregates that could not be computed. */
export const countUnaggregated = (judgement: Judgement | undefined): number =>
  judgement?.aggregates?.filter(({ group, error }) => group === undefined && error !== undefined).length ?? 0
