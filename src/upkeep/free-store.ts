import { findLooseSeals, type LooseSeal } from '../../cache/bundle/loose-seals.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import { removeSeal } from '../../cache/bundle/seal.js'
import type { Run } from '../../cache/records.js'
import type { Garbage, Store } from '../../cache/store.js'
import { findOrphanRuns, findRemovedRuns, removeEach, type RemovalChoice } from './removed-runs.js'

/** The data that is freed, or would be: the removed runs, and data that no remaining run refers to. */
export interface Freed extends Garbage {
  /** The chosen runs. */
  readonly runs: readonly Run[]
  /** Runs with requests of a judge or of rounds for a removed run. */
  readonly orphans: readonly Run[]
  /** Sealed tables of removed runs. */
  readonly seals: readonly LooseSeal[]
}

/** An open store for garbage collection. */
export type FreedStore = Store & PortableStore

/**
 * Finds the data that {@link freeStore} would free, without changes.
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
 * Removes runs, and frees data that no remaining run refers to: requests, answers, scores, judge records, media and sealed tables.
 *
 * @param skip called for a run that another process works on. It stays with all its data
 */
export async function freeStore(
  store: FreedStore,
  runs: readonly Run[],
  skip: (problem: string) => void,
): Promise<Freed> {
  const orphans = await findOrphanRuns(store, runs)
  const loose = await findLooseSeals(store, [...runs, ...orphans])
  const removed = new Set(await removeEach(store, runs, skip))
  // Requests of judges and rounds are removed after their run.
  for (const name of await removeEach(store, await findOrphanRuns(store, []), skip)) removed.add(name)
  const remainingNames = new Set((await store.runs.names()).map(({ name }) => name))
  const seals = loose.filter(({ name }) => !remainingNames.has(name))
  for (const seal of seals) await removeSeal(store, seal)
  const isGone = ({ name }: Run): boolean => removed.has(name)
  const garbage = await store.upkeep.collectGarbage({ dryRun: false })
  return { runs: runs.filter(isGone), orphans: orphans.filter(isGone), seals, ...garbage }
}
