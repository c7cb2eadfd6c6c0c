import type { ConfigKey, InputKey } from '../digest.js'
import type { Run } from '../records.js'
import type { DraftDoc, Holder, InputProgress } from './work.js'

/** Writes the docs of runs. The input stage uses it. */
export interface DocStore {
  progress(run: Run, task: number): Promise<InputProgress>
  /** Leases the reading of one task's docs. @returns true, or the holder of the lease */
  lease(run: Run, task: number): Promise<true | Holder>
  /**
   * Writes docs in ascending order of index, in one transaction.
   *
   * @param finished whether these are the task's last docs
   * @returns how many of the docs' requests the run need not send
   */
  commit(run: Run, task: number, docs: readonly DraftDoc[], finished: boolean): Promise<UnsentRequests>
  /** Lists the indices of a task's docs that the run has, in ascending order. */
  indices(run: Run, task: number): Promise<readonly number[]>
  /** Replaces docs that were committed without a request, for example because a medium was missing. */
  recommit(run: Run, task: number, docs: readonly DraftDoc[]): Promise<void>
  /**
   * Lists the requests of a run's docs, a page at a time, so that draws of further docs can be numbered.
   *
   * @param before ends the list before this doc. @default all docs
   * @param withTexts whether the preimages of inputs are read too
   */
  requests(
    run: Run,
    before?: { readonly task: number; readonly doc: number },
    withTexts?: boolean,
  ): AsyncIterable<readonly CommittedRequest[]>
}

/** Counts requests of committed docs that a run need not send. */
export interface UnsentRequests {
  /** Requests that the store has an answer to. */
  readonly answered: number
  /** The number of unanswered requests that equal requests of earlier docs of the run, and share their answers. */
  readonly shared: number
}

/** The request of one item of a run. */
export interface CommittedRequest {
  readonly input: InputKey
  readonly config: ConfigKey
  /** The sample index in the response key. */
  readonly draw: number
  /** The preimage of `input`, if it was requested. */
  readonly text?: string
}
