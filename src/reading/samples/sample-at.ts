import { PipelineError } from '../../../base/errors/errors.js'
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

/** Reads the doc at a place of a run. */
export type ReadSample = (place: DocPlace) => Promise<Sample | undefined>

/**
 * Reads several docs of a run at once, if the store can do that faster. If one of them is damaged, each is read separately, so that the others can
 * still be read.
 */
export async function readSamplesAt(
  store: Pick<Store, 'judgements'>,
  opened: OpenedRun,
  places: readonly DocPlace[],
): Promise<ReadSample> {
  const { judgements } = store
  const readOne: ReadSample = place => sampleAt(store, opened, place)
  if (judgements.samplesAt === undefined || places.length < 2) return readOne
  try {
    const samples = await judgements.samplesAt(opened.run, opened.judgement, places)
    const samplesByPlace = new Map(samples.map(sample => [namePlace(sample), sample]))
    return place => Promise.resolve(samplesByPlace.get(namePlace(place)))
  } catch (error) {
    if (!(error instanceof PipelineError) || error.reason !== 'record-damaged') throw error
    return readOne
  }
}

const namePlace = ({ task, index }: DocPlace): string => `${task}/${index}`
