import type { Run } from '../records.js'
import type { DraftDoc, Holder, InputProgress } from './work.js'

/** The docs of runs, as the input stage writes them. */
export interface DocStore {
  progress(run: Run, task: number): Promise<InputProgress>
  /** Takes the right to read one task's docs for a run. @returns true, or who holds it */
  lease(run: Run, task: number): Promise<true | Holder>
  /** Writes docs in ascending order of index, in one transaction. @param finished whether they are the task's last */
  commit(run: Run, task: number, docs: readonly DraftDoc[], finished: boolean): Promise<void>
  /** Replaces docs that were committed before without a request: what can be asked now takes their place. */
  recommit(run: Run, task: number, docs: readonly DraftDoc[]): Promise<void>
}
