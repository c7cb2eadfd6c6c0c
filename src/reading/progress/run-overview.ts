import type { Aggregate, Judgement, Run } from '../../../cache/records.js'
import type { RunProgress, Store } from '../../../cache/store.js'

/** The progress and the scores of a run, for lists and live views. */
export interface RunOverview {
  /**
   * - `running`: a living process works on the run.
   * - `complete`: every request is answered and the newest judgement is finished.
   * - `incomplete`: docs were not read, or requests failed or have no answer, and no process works on them.
   * - `not judged`: every request is answered, but the newest judgement is missing or not finished.
   */
  readonly state: 'running' | 'complete' | 'incomplete' | 'not judged'
  readonly docs: number
  /** The number of requests so far. It grows while docs are read. */
  readonly requests: number
  /** True if all docs are read, so that `requests` does not grow any more. */
  readonly isInputFinished: boolean
  readonly answered: number
  readonly failed: number
  /** Docs with a score in the newest judgement. */
  readonly scored: number
  /** The scores of whole tasks and groups in the newest finished judgement. */
  readonly scores: readonly Aggregate[]
  /** The number of the judgement. Absent if no judgement is finished. */
  readonly fromJudgement?: number
  /** The time when a command last started the run. Milliseconds since 1970. */
  readonly startedAt: number
  /** The time when the newest answer arrived, or one of the newest. Milliseconds since 1970. */
  readonly lastAnswerAt?: number
}

/**
 * Reads the progress and the scores of a run. It is cheap enough to be called every second. The first call on a run of a million requests takes about
 * a second, and later calls read only changes. Expensive counts may be some seconds old.
 */
export async function runOverview(store: Pick<Store, 'runs' | 'judgements'>, run: Run): Promise<RunOverview> {
  const progress = await store.runs.progress(run)
  const judgements = await store.judgements.list(run)
  const finished = judgements.findLast(({ finishedAt }) => finishedAt !== undefined)
  const { docs, items: requests, answered, failed, scored, startedAt, lastAnswerAt } = progress
  return {
    state: deriveState(progress, judgements.at(-1)),
    docs,
    requests,
    isInputFinished: progress.inputFinished,
    answered,
    failed,
    scored,
    startedAt,
    scores: (finished?.aggregates ?? []).filter(({ group }) => group === undefined),
    ...(finished === undefined ? {} : { fromJudgement: finished.number }),
    ...(lastAnswerAt === undefined ? {} : { lastAnswerAt }),
  }
}

function deriveState(
  { inputFinished, items, answered, isWorkedOn }: RunProgress,
  newest: Judgement | undefined,
): RunOverview['state'] {
  const isAnswered = inputFinished && answered === items
  const isJudged = newest?.finishedAt !== undefined
  // A process that finished a run may live on, such as a worker of a service.
  if (isAnswered && isJudged) return 'complete'
  if (isWorkedOn) return 'running'
  return isAnswered ? 'not judged' : 'incomplete'
}
