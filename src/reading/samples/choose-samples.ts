import { PipelineError } from '../../../base/errors/errors.js'
import { didYouMean } from '../../../base/text/suggest.js'
import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import { readDocNames } from '../../config/values/doc-names.js'
import { makeSampleFilter, type SampleFilter } from './sample-filter.js'
import { sampleKinds, type SampleKind } from './sample-kinds.js'
import { sampleTest } from './sample-tests.js'

/**
 * Reads the docs of a run that an option such as `wrong` selects.
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
  const matchingSamples: Sample[] = []
  for await (const sample of store.judgements.samples(opened.run, opened.judgement))
    if (filter.passes(sample) && isOfKind(sample)) matchingSamples.push(sample)
  const unknown = explainUnknown(filter, kind, samples)
  if (unknown !== undefined) throw unknown
  return matchingSamples
}

/**
 * Returns the error for a name that the run does not have, after its docs were read. An unknown word may be a mistyped kind.
 *
 * @param kind the sample kind, if `samples` is one
 */
export function explainUnknown(
  filter: SampleFilter,
  kind: SampleKind | undefined,
  samples: string,
): PipelineError | undefined {
  try {
    filter.checkNames()
    return undefined
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    if (kind !== undefined || !/^[a-z_]+$/i.test(samples)) return error
    return new PipelineError('usage', [
      ...error.said,
      `  kinds: ${sampleKinds.join(', ')}.${didYouMean(samples, sampleKinds)}`,
    ])
  }
}
