import type { DocPlace, OpenedRun, Sample, Store } from '../../../cache/store.js'

/** Reads the doc at a place of a run. @returns undefined if the run has no doc there */
export async function sampleAt(
  store: Pick<Store, 'judgements'>,
  { run, judgement }: OpenedRun,
  { task, index }: DocPlace,
): Promise<Sample | undefined> {
  for await (const sample of store.judgements.samples(run, judgement, { task, index: index - 1 }, 1))
    return sample.task === task && sample.index === index ? sample : undefined
  return undefined
}
