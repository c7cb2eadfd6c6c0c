import type { DocPlace, OpenedRun, Sample, Store } from '../../../../cache/store.js'
import { sampleTest } from '../../../reading/samples/sample-tests.js'

/** The name of a doc in every run. */
export type DocName = string

export const docName = ({ run }: OpenedRun, { task, id }: Pick<Sample, 'task' | 'id'>): DocName =>
  `${run.asked.tasks[task]?.name ?? ''}\u0000${id}`

/** The docs of a run that the file contains. */
export interface Selection {
  has(place: DocPlace): boolean
  readonly docs: number
  readonly leftOut: number
}

/**
 * Selects the docs of a run for the file, up to a maximum. Wrong, unparsed and failed docs come first. For further runs, the docs selected from the
 * first run come first, so that flips are visible side by side.
 *
 * @param first the docs of the first run in the file
 */
export async function selectSamples(
  store: Store,
  opened: OpenedRun,
  most: number,
  first?: ReadonlySet<DocName>,
): Promise<Selection> {
  const { run, judgement } = opened
  const { docs } = await store.runs.counts(run)
  if (docs <= most) return { has: () => true, docs, leftOut: 0 }
  const tests = await Promise.all(
    (['wrong', 'unparsed', 'failed'] as const).map(kind => sampleTest(store, opened, kind)),
  )
  const chosen = new Set<string>()
  const others: string[] = []
  let sampleCount = 0
  for await (const sample of store.judgements.samples(run, judgement)) {
    sampleCount += 1
    const isWanted = first?.has(docName(opened, sample)) === true || tests.some(test => test(sample))
    if (isWanted) {
      if (chosen.size < most) chosen.add(makeDocKey(sample))
    } else if (others.length < most) others.push(makeDocKey(sample))
  }
  for (const key of others) if (chosen.size < most) chosen.add(key)
  return { has: place => chosen.has(makeDocKey(place)), docs: sampleCount, leftOut: sampleCount - chosen.size }
}

const makeDocKey = ({ task, index }: DocPlace): string => `${task} ${index}`
