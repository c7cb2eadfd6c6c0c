/** Docs on which two runs differ, with both answers. */
import type { DocPlace, OpenedRun, Sample, Store } from '../../../cache/store.js'
import { docNames } from '../samples/doc-names.js'
import { sampleAt } from '../samples/sample-at.js'
import { makeSampleFilter, type SampleConditions } from '../samples/sample-filter.js'
import type { SampleKind } from '../samples/sample-kinds.js'
import { sampleTest } from '../samples/sample-tests.js'

/** One doc in two runs. */
export interface DocPair {
  readonly task: string
  readonly id: string
  readonly a: Sample
  readonly b: Sample
}

/** Selects the docs of {@link readDocPairs}. */
export interface DocPairQuery extends SampleConditions {
  /** The kind of the second run's sample. @default 'flipped' */
  readonly kind?: SampleKind
}

/**
 * Iterates over the docs that two runs share and that the query selects, in the order of the second run. Docs have the same
 * task and id. Only the places of the first run's docs are kept in memory.
 *
 * @throws PipelineError if a condition cannot be read, or names a doc, field or metric that the second run does not have
 */
export async function* readDocPairs(
  store: Pick<Store, 'judgements' | 'labels'>,
  a: OpenedRun,
  b: OpenedRun,
  { kind = 'flipped', ...conditions }: DocPairQuery = {},
): AsyncGenerator<DocPair> {
  const places = await readPlaces(store, a)
  const isOfKind = await sampleTest(store, b, kind, a)
  const filter = makeSampleFilter(b, conditions)
  const makeName = docNames()
  let isAny = false
  for await (const sample of store.judgements.samples(b.run, b.judgement)) {
    const task = b.run.asked.tasks[sample.task]?.name ?? ''
    const place = places.get(makeName(task, sample.id))
    if (!filter.passes(sample) || !isOfKind(sample) || place === undefined) continue
    const other = await sampleAt(store, a, place)
    if (other === undefined) continue
    isAny = true
    yield { task, id: sample.id, a: other, b: sample }
  }
  if (!isAny) filter.checkNames()
}

async function readPlaces(
  store: Pick<Store, 'judgements'>,
  { run, judgement }: OpenedRun,
): Promise<ReadonlyMap<string, DocPlace>> {
  const places = new Map<string, DocPlace>()
  const makeName = docNames()
  for await (const { task, index, id } of store.judgements.samples(run, judgement))
    places.set(makeName(run.asked.tasks[task]?.name ?? '', id), { task, index })
  return places
}
