import type { RunKey, Sha256 } from '../digest.js'
import type { Run, RunProvenance, RunSpec } from '../records.js'
import type { RunCounts } from './work.js'

/** What a key stands for, to be found by it. */
export interface NamedPreimage {
  readonly kind: 'code' | 'config' | 'task' | 'judge-config'
  readonly key: Sha256<string>
  readonly preimage: string
}

/** The runs of a store. */
export interface RunStore {
  /** Returns the run of a spec, which is made where it is not there. `preimages` explain the keys in the spec and are stored beside it. */
  create(
    spec: RunSpec,
    provenance: RunProvenance,
    preimages: readonly NamedPreimage[],
  ): Promise<{ run: Run; isNew: boolean }>
  find(id: RunKey): Promise<Run | undefined>
  /** All runs, oldest first by the time when they were last started. */
  list(): Promise<readonly Run[]>
  remove(run: Run): Promise<void>
  /** Marks a run as started now, which is what `last` means. */
  touch(run: Run): Promise<void>
  counts(run: Run): Promise<RunCounts>
  /** Whether a living process other than this one reads docs or holds leases for the run. */
  isWorkedOnElsewhere(run: Run): Promise<boolean>
}
