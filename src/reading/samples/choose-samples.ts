import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import { readDocNames } from '../../config/values/doc-names.js'
import { makeSampleFilter } from './sample-filter.js'
import { sampleKinds } from './sample-kinds.js'
import { sampleTest } from './sample-tests.js'

/**
 * Reads the docs of a run that a word chooses.
 *
 * @param choice `samples`: a kind such as `wrong`, an id or pattern, or a `.txt` file with one a line
 * @throws PipelineError (usage) if a doc is unknown, or a kind needs another run
 */
export async function chooseSamples(
  store: Store,
  opened: OpenedRun,
  { samples, against }: { readonly samples: string; readonly against?: OpenedRun | undefined },
): Promise<readonly Sample[]> {
  const kind = sampleKinds.find(word => word === samples)
  const isOfKind = await sampleTest(store, opened, kind ?? 'all', against)
  const filter = makeSampleFilter(opened, kind === undefined ? { docs: readDocNames(samples).join(',') } : {})
  const found: Sample[] = []
  for await (const sample of store.judgements.samples(opened.run, opened.judgement))
    if (filter.passes(sample) && isOfKind(sample)) found.push(sample)
  filter.checkNames()
  return found
}
