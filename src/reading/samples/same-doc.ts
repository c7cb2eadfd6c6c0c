import type { DocPlace, OpenedRun, Sample, Store } from '../../../cache/store.js'
import { openRun } from '../runs/run-reference.js'
import { sampleAt } from './sample-at.js'

/** The maximum number of runs that are searched for a doc, newest first. */
const mostLooked = 1_000
/** The maximum number of runs that are returned. */
const mostFound = 50

/** The same doc in another run. */
export interface SameDoc {
  readonly opened: OpenedRun
  readonly sample: Sample
}

/**
 * Finds a doc in the other runs that have a task of the same name, the newest run first. Docs are the same if their ids are.
 *
 * @returns at most 50 runs, with the number of further runs that have the task
 */
export async function findSameDoc(
  store: Store,
  { run }: OpenedRun,
  { task, index, id }: Pick<Sample, 'task' | 'index' | 'id'>,
): Promise<{ readonly found: readonly SameDoc[]; readonly left: number }> {
  const name = run.asked.tasks[task]?.name
  const { runs } = await store.runs.page({ limit: mostLooked })
  const others = runs.flatMap(other => {
    const number = other.asked.tasks.findIndex(otherTask => otherTask.name === name)
    return other.id === run.id || number === -1 ? [] : [{ name: other.name, number }]
  })
  const found: SameDoc[] = []
  let looked = 0
  for (const other of others) {
    if (found.length >= mostFound) break
    looked += 1
    const opened = await openRun(store, other.name)
    const sample = await sampleWithId(store, opened, { task: other.number, index }, id)
    if (sample !== undefined) found.push({ opened, sample })
  }
  return { found, left: others.length - looked }
}

/** Finds the sample of a doc in another run. It tries the same index first, because runs of one task mostly have the same order. */
export async function sampleWithId(
  store: Pick<Store, 'judgements'>,
  opened: OpenedRun,
  place: DocPlace,
  id: string,
): Promise<Sample | undefined> {
  const likely = await sampleAt(store, opened, place)
  if (likely?.id === id) return likely
  const index = await store.judgements.findDoc(opened.run, place.task, id)
  return index === undefined ? undefined : sampleAt(store, opened, { task: place.task, index })
}
