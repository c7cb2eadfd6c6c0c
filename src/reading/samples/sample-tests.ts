import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { labelsOfRun, placeKey } from '../../../cache/facts/current-labels.js'
import { factsReader } from '../../../cache/facts/sample-facts.js'
import type { KindFacts, OpenedRun, Sample, Store } from '../../../cache/store.js'
import { docNames } from './doc-names.js'
import { computeChange, comparedKinds, kindTest, type SampleKind } from './sample-kinds.js'

/** Tells whether a sample of the run is of the kind. */
export type SampleTest = (sample: Sample) => boolean

/**
 * Prepares the test of a kind for the samples of a run.
 *
 * @param against the other run, for the kinds in {@link comparedKinds}
 * @throws PipelineError if the kind needs another run and `against` is absent
 */
export async function sampleTest(
  store: Pick<Store, 'judgements' | 'labels'>,
  opened: OpenedRun,
  kind: SampleKind,
  against?: OpenedRun,
): Promise<SampleTest> {
  const factsOf = factsReader(opened)
  const { passes } = kindTest(kind)
  const needsLabels = kind === 'labelled' || kind === 'unlabelled'
  const labels = needsLabels ? await labelsOfRun(store, opened.run, opened.judgement) : undefined
  const changes = comparedKinds.has(kind) ? await computeChanges(store, opened, needOther(kind, against)) : undefined
  return sample => {
    const place = placeKey(sample)
    const isLabelled = labels?.has(place) === true
    return passes({ ...factsOf(sample), isLabelled, change: changes?.get(place) ?? null })
  }
}

function needOther(kind: SampleKind, against: OpenedRun | undefined): OpenedRun {
  if (against !== undefined) return against
  throw new PipelineError('usage', `"${kind}" compares two runs: name the other one   (${option('against', 'RUN')})`)
}

/** Reads both runs, and compares their first metrics by place. Values of different metrics are not compared. */
async function computeChanges(
  store: Pick<Store, 'judgements'>,
  own: OpenedRun,
  other: OpenedRun,
): Promise<ReadonlyMap<string, KindFacts['change']>> {
  const values = new Map<string, number>()
  for await (const { name, facts } of namedFacts(store, other)) if (facts.value !== null) values.set(name, facts.value)
  const changes = new Map<string, KindFacts['change']>()
  for await (const { name, facts, place } of namedFacts(store, own)) {
    const change = computeChange(facts.value, values.get(name), facts.isLowerBetter)
    if (change !== null) changes.set(place, change)
  }
  return changes
}

async function* namedFacts(store: Pick<Store, 'judgements'>, opened: OpenedRun) {
  const { run, judgement } = opened
  const factsOf = factsReader(opened)
  const nameOf = docNames()
  for await (const sample of store.judgements.samples(run, judgement)) {
    const facts = factsOf(sample)
    const doc = nameOf(run.asked.tasks[sample.task]?.name ?? '', sample.id)
    yield { name: `${doc}\u0000${facts.metric}`, facts, place: placeKey(sample) }
  }
}
