import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { isAuxiliary } from '../runs/is-auxiliary.js'
import { runOverview, type RunOverview } from './run-overview.js'
import { readWork, type QueueFacts, type WorkerFacts, type WorkFacts } from '../workers/work-facts.js'
import { RunningScores, type RunningTaskScore } from './running-scores.js'

/** A run as a watch shows it at one moment. */
export interface WatchedRun {
  readonly run: Run
  readonly overview: RunOverview
  /** Preliminary scores while the newest judgement is in progress. They replace the scores of an earlier judgement. */
  readonly running: readonly RunningTaskScore[]
  /** Answers per second over the last looks. Undefined before the second look, and if no process works on the run. */
  readonly perSecond?: number
  readonly elapsedMs?: number
  /** The processes that work on the run, including stale ones that still hold leases. */
  readonly workers: readonly WorkerFacts[]
  /** The jobs that wait in the store, of all runs. */
  readonly queue: QueueFacts
  /** The estimated time until the last answer. Undefined while it is unknown. */
  readonly leftMs?: number
}

interface Look {
  readonly at: number
  readonly answered: number
}

interface Followed {
  readonly run: Run
  readonly scores: RunningScores
  /** The looks of the last seconds, oldest first. */
  looks: readonly Look[]
}

/** The length of the period over which the rate is measured, in milliseconds. */
const rateMs = 10_000
/** Scores that one look reads, which takes a few milliseconds. */
const scoresPerLook = 1_000

/** Follows runs of a store: the named ones, or all runs that a process has worked on since the start. */
export class WatchedRuns {
  readonly #store: Pick<Store, 'runs' | 'judgements' | 'jobs'>
  readonly #named: readonly Run[] | undefined
  readonly #now: () => number
  readonly #followed = new Map<number, Followed>()

  /** @param now returns milliseconds since 1970 */
  constructor(
    store: Pick<Store, 'runs' | 'judgements' | 'jobs'>,
    { named, now }: { readonly named?: readonly Run[] | undefined; readonly now: () => number },
  ) {
    this.#store = store
    this.#named = named
    this.#now = now
  }

  /** Reads the runs' present state, in the order of their start. */
  async look(): Promise<readonly WatchedRun[]> {
    const runs = this.#named ?? (await this.#store.runs.workedOn()).filter(run => !isAuxiliary(run))
    for (const run of runs)
      if (!this.#followed.has(run.ref))
        this.#followed.set(run.ref, { run, scores: new RunningScores(this.#store, run), looks: [] })
    const work = await readWork(this.#store, this.#now())
    const watchedRuns: WatchedRun[] = []
    for (const followed of this.#followed.values()) {
      // A run may be removed while it is watched.
      if ((await this.#store.runs.find(followed.run.id)) === undefined) this.#followed.delete(followed.run.ref)
      else watchedRuns.push(await this.#watched(followed, work))
    }
    return watchedRuns
  }

  async #watched(followed: Followed, { workers: allWorkers, queue }: WorkFacts): Promise<WatchedRun> {
    const { run } = followed
    const overview = await runOverview(this.#store, run)
    const newest = (await this.#store.judgements.list(run)).at(-1)
    const isScoring = newest !== undefined && newest.finishedAt === undefined
    const running = isScoring ? await followed.scores.read(newest, scoresPerLook) : []
    const now = this.#now()
    followed.looks = [
      ...followed.looks.filter(({ at }) => now - at <= rateMs),
      { at: now, answered: overview.answered },
    ]
    const perSecond = overview.state === 'running' ? computeRate(followed.looks) : undefined
    const elapsedMs = (overview.state === 'running' ? now : (overview.lastAnswerAt ?? 0)) - overview.startedAt
    const workers = allWorkers.filter(
      ({ runs, isStale }) => runs.includes(run.ref) && (overview.state === 'running' || isStale),
    )
    const leftMs = timeLeft(overview, perSecond)
    return {
      run,
      overview,
      running,
      workers,
      queue,
      ...(perSecond === undefined ? {} : { perSecond }),
      ...(elapsedMs < 0 ? {} : { elapsedMs }),
      ...(leftMs === undefined ? {} : { leftMs }),
    }
  }
}

function computeRate(looks: readonly Look[]): number | undefined {
  const [first, last] = [looks[0], looks.at(-1)]
  if (first === undefined || last === undefined || last.at <= first.at) return undefined
  return Math.max(0, ((last.answered - first.answered) * 1000) / (last.at - first.at))
}

function timeLeft(
  { requests, answered, failed, isInputFinished }: RunOverview,
  perSecond: number | undefined,
): number | undefined {
  const remainingRequests = requests - answered - failed
  if (!isInputFinished || remainingRequests <= 0 || perSecond === undefined || perSecond === 0) return undefined
  return (remainingRequests * 1000) / perSecond
}
