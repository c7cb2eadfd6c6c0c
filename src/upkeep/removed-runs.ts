/** Chooses the runs that are removed, and removes them. */
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { removeSeal } from '../../cache/bundle/seal.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { chooseRuns, type RunChoice } from '../reading/runs/choose-runs.js'
import { compileNamePattern } from '../reading/runs/name-pattern.js'
import { readRunAbout } from '../reading/runs/run-about.js'
import { openRun } from '../reading/runs/run-reference.js'

/** The runs to remove: those that fit a reference, if there are any, and every condition. */
export interface RemovalChoice extends Pick<RunChoice, 'model' | 'task' | 'state' | 'before' | 'tag' | 'all'> {
  /** Names, ends of ids, and patterns of names with `*`, `?` and `[abc]`. */
  readonly references: readonly string[]
}

const isPattern = (reference: string): boolean => /[*?[]/.test(reference)

/**
 * Finds the runs to remove. A choice without a reference and without a condition is of no run.
 *
 * @param labelModel returns the label of a run's model, which `choice.model` is compared with
 * @throws PipelineError if a reference that is no pattern names no run, or a condition is empty, since every run would fit it
 */
export async function findRemovedRuns(
  store: Store,
  { references, ...conditions }: RemovalChoice,
  labelModel: (run: Run) => string,
): Promise<readonly Run[]> {
  for (const name of ['model', 'task', 'tag'] as const)
    if (conditions[name]?.trim() === '')
      throw new PipelineError('usage', `${option(name)}: expected a text that is not empty`)
  const isFiltered = Object.entries(conditions).some(([name, value]) => name !== 'all' && value !== undefined)
  if (!isFiltered && references.length === 0) return []
  const referencedRuns: Run[] = []
  for (const reference of references.filter(each => !isPattern(each)))
    referencedRuns.push((await openRun(store, reference)).run)
  if (!isFiltered && references.length > 0 && referencedRuns.length === references.length) return referencedRuns
  const chosen = await chooseRuns(store, conditions, labelModel)
  if (references.length === 0) return chosen
  const refs = new Set(referencedRuns.map(({ ref }) => ref))
  const patterns = references.filter(isPattern).map(compileNamePattern)
  const isMeant = (run: Run): boolean =>
    refs.has(run.ref) || patterns.some(fits => fits(run.name) || fits(readRunAbout(run).title ?? ''))
  return [
    ...referencedRuns.filter(run => !isFiltered && !chosen.some(({ ref }) => ref === run.ref)),
    ...chosen.filter(isMeant),
  ]
}

/**
 * Finds runs that hold the requests of a judge or of rounds for a run that is not there any more, or is removed with them.
 *
 * @param removed runs that count as removed
 */
export async function findOrphanRuns(store: Store, removed: readonly Run[]): Promise<readonly Run[]> {
  const gone = new Set(removed.map(({ id }) => id))
  let remainingRuns = (await store.runs.list()).filter(({ id }) => !gone.has(id))
  const orphans: Run[] = []
  for (;;) {
    const ids = new Set(remainingRuns.map(({ id }) => id))
    const lost = remainingRuns.filter(({ asked }) =>
      [asked.judge?.of, asked.rounds?.of].some(of => of !== undefined && !ids.has(of)),
    )
    if (lost.length === 0) return orphans
    orphans.push(...lost)
    remainingRuns = remainingRuns.filter(run => !lost.includes(run))
  }
}

/**
 * Removes runs with their sealed tables.
 *
 * @param skip told of a run that another process works on, which stays
 * @returns the names of the removed runs
 */
export async function removeEach(
  store: Store & Pick<PortableStore, 'workFolder'>,
  runs: readonly Run[],
  skip: (problem: string) => void,
): Promise<readonly string[]> {
  const removed: string[] = []
  for (const run of runs) {
    if (await store.runs.isWorkedOnElsewhere(run)) {
      skip(`run ${run.name} is worked on by another process: end that first`)
      continue
    }
    await removeSeal(store, run)
    await store.runs.remove(run)
    removed.push(run.name)
  }
  return removed
}
