import { findLooseSeals, type LooseSeal } from '../../cache/bundle/loose-seals.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import { removeSeal } from '../../cache/bundle/seal.js'
import type { Run } from '../../cache/records.js'
import type { Garbage, Store } from '../../cache/store.js'
import { findOrphanRuns, findRemovedRuns, removeEach, type RemovalChoice } from './removed-runs.js'

/** Everything that is freed, or would be: the runs that are removed first, and what no run refers to then. */
export interface Freed extends Garbage {
  /** The chosen runs. */
  readonly runs: readonly Run[]
  /** Runs that hold the requests of a judge or of rounds for a run that is gone. */
  readonly orphans: readonly Run[]
  /** Sealed tables of runs that are gone. */
  readonly seals: readonly LooseSeal[]
}

/** An open store that can be freed. */
export type FreedStore = Store & PortableStore

/**
 * Finds what {@link freeStore} would free, and changes nothing.
 *
 * @param choice the runs to remove first. @default none
 */
export async function findFreed(
  store: FreedStore,
  choice: RemovalChoice | undefined,
  labelModel: (run: Run) => string,
): Promise<Freed> {
  const runs = choice === undefined ? [] : await findRemovedRuns(store, choice, labelModel)
  const orphans = await findOrphanRuns(store, runs)
  const seals = await findLooseSeals(store, [...runs, ...orphans])
  const garbage = await store.upkeep.collectGarbage({ dryRun: true, without: [...runs, ...orphans] })
  return { runs, orphans, seals, ...garbage }
}

/**
 * Removes runs, and frees what no run refers to then: requests, answers, scores, judge records, media and sealed tables.
 *
 * @param skip told of a run that another process works on, which stays with all that it needs
 */
export async function freeStore(
  store: FreedStore,
  runs: readonly Run[],
  skip: (problem: string) => void,
): Promise<Freed> {
  const orphans = await findOrphanRuns(store, runs)
  const loose = await findLooseSeals(store, [...runs, ...orphans])
  const removed = new Set(await removeEach(store, runs, skip))
  // Requests of judges and rounds go after the run that asked them.
  for (const name of await removeEach(store, await findOrphanRuns(store, []), skip)) removed.add(name)
  const left = new Set((await store.runs.names()).map(({ name }) => name))
  const seals = loose.filter(({ name }) => !left.has(name))
  for (const seal of seals) await removeSeal(store, seal)
  const isGone = ({ name }: Run): boolean => removed.has(name)
  const garbage = await store.upkeep.collectGarbage({ dryRun: false })
  return { runs: runs.filter(isGone), orphans: orphans.filter(isGone), seals, ...garbage }
}
