import type { Freed } from '../../upkeep/free-store.js'

/** The counts of a garbage collection for programs. Sizes are in bytes. */
export interface FreedJson {
  readonly runs: readonly string[]
  /** Runs with requests of judges or rounds that belong to a removed run. */
  readonly auxiliary_runs: readonly string[]
  readonly requests: number
  readonly answers: number
  readonly scores: number
  readonly records: number
  readonly record_bytes: number
  readonly media: { readonly files: number; readonly bytes: number }
  readonly sealed: { readonly runs: readonly string[]; readonly bytes: number }
  /** The bytes of texts, media and sealed tables together. */
  readonly bytes: number
  /** Processes that have the store open. While there are any, media stay. */
  readonly users: readonly { readonly host: string; readonly pid: number }[]
}

export const freedJson = ({ runs, orphans, seals, ...garbage }: Freed): FreedJson => ({
  runs: runs.map(({ name }) => name),
  auxiliary_runs: orphans.map(({ name }) => name),
  requests: garbage.requests,
  answers: garbage.responses,
  scores: garbage.scores,
  records: garbage.records,
  record_bytes: garbage.rowBytes,
  media: garbage.media,
  sealed: { runs: seals.map(({ name }) => name), bytes: sealedBytes({ seals }) },
  bytes: garbage.rowBytes + garbage.media.bytes + sealedBytes({ seals }),
  users: garbage.users,
})

const sealedBytes = ({ seals }: Pick<Freed, 'seals'>): number => seals.reduce((sum, { bytes }) => sum + bytes, 0)
