import type { RunKey, Sha256 } from '../digest.js'
import type { Run, RunProvenance, RunSpec } from '../records.js'
import type { RunCounts, RunProgress, WorkingProcess } from './work.js'

/** A key with its preimage and the kind of key. */
export interface NamedPreimage {
  readonly kind: 'code' | 'config' | 'task' | 'judge-config'
  readonly key: Sha256<string>
  readonly preimage: string
}

/** The tags to add to a run, and those to remove from it. */
export interface TagChange {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

/** Selects runs for a list. */
export interface RunQuery {
  /** Each word must occur in the run's name, its model or the names of its tasks and groups. The case of a-z is ignored. */
  readonly text?: string
  /** The number of newer runs to leave out. @default 0 */
  readonly offset?: number
  readonly limit: number
}

/** One page of runs. */
export interface RunPage {
  /** The newest first. */
  readonly runs: readonly Run[]
  /** The number of all runs that match the query. */
  readonly total: number
}

/** Stores the runs. */
export interface RunStore {
  /** Returns the run of a spec, and creates it if missing. `preimages` explain the keys in the spec and are stored beside it. */
  create(
    spec: RunSpec,
    provenance: RunProvenance,
    preimages: readonly NamedPreimage[],
  ): Promise<{ run: Run; isNew: boolean }>
  find(id: RunKey): Promise<Run | undefined>
  /** Returns the ids and names of all runs, by name. It is cheap for thousands of runs. */
  names(): Promise<readonly Pick<Run, 'id' | 'name'>[]>
  /** Returns a part of the list of runs. It leaves out runs that hold the requests of a judge or of a conversation's rounds. */
  page(query: RunQuery): Promise<RunPage>
  /** Lists all runs by the time of their last start, oldest first. Prefer {@link page}: a store may hold thousands of runs. */
  list(): Promise<readonly Run[]>
  /** Returns the run that was started last, without reading the others. */
  newest(): Promise<Run | undefined>
  remove(run: Run): Promise<void>
  /** Returns the tags of all runs that have any, by the run's number, each in alphabetical order. */
  tags(): Promise<ReadonlyMap<number, readonly string[]>>
  /**
   * Adds and removes tags of a run. Adding an existing tag or removing a missing one is no mistake.
   *
   * @returns all tags of the run, in alphabetical order
   * @throws PipelineError (usage) if a tag is malformed, or if the run would have more than 50 tags
   */
  tag(run: Run, change: TagChange): Promise<readonly string[]>
  /** Marks a run as started now. `last` means the run that was started last. */
  touch(run: Run): Promise<void>
  counts(run: Run): Promise<RunCounts>
  /**
   * Counts how far a run is, like `counts`, but cheaply enough to be called every second for a run of a million requests. Counts that take long may be
   * some seconds old.
   */
  progress(run: Run): Promise<RunProgress>
  /** Lists the runs that living processes work on, this process included, by the time of their last start. */
  workedOn(): Promise<readonly Run[]>
  /** Tells whether another living process reads docs or holds leases for the run. */
  isWorkedOnElsewhere(run: Run): Promise<boolean>
  /**
   * Lists the processes that work on any run or job, including this one, with the number of requests that each holds. A silent or dead process is
   * listed until others have taken over its leases.
   */
  workers(): Promise<readonly WorkingProcess[]>
  /** Ends the work of this process on the run, so that other processes can read its docs. Closing the store does this for all runs. */
  leave(run: Run): Promise<void>
}
