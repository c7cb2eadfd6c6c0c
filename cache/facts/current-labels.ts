/** Finds the current labels of answers: each author's newest label, unless it was withdrawn. */
import { labelAddress } from './label-rules.js'
import type { Judgement, Run, StoredLabel } from '../records.js'
import type { DocPlace, Sample, Store } from '../store.js'

/** Returns the labels of a history that count, oldest first. */
export function currentLabels(history: readonly StoredLabel[]): readonly StoredLabel[] {
  const newest = new Map<string, StoredLabel>()
  for (const label of history) {
    const other = newest.get(label.author)
    if (other === undefined || isAfter(label, other)) newest.set(label.author, label)
  }
  return [...newest.values()].filter(({ label }) => label !== null).sort((a, b) => (isAfter(a, b) ? 1 : -1))
}

/** Labels that were made in the same millisecond on two machines count in the order in which this store got them. */
const isAfter = (a: StoredLabel, b: StoredLabel): boolean => a.at > b.at || (a.at === b.at && a.id > b.id)

/** Returns the current labels of the answers of one sample, whichever run they were made in. */
export async function readSampleLabels(
  store: Pick<Store, 'labels'>,
  sample: Pick<Sample, 'record' | 'items'>,
): Promise<readonly StoredLabel[]> {
  const address = labelAddress(sample)
  if (address === undefined) return []
  const [history = []] = await store.labels.of([address])
  return currentLabels(history)
}

/** Identifies the place of a doc in a run, as a key of {@link labelsOfRun}. */
export const placeKey = ({ task, index }: DocPlace): `${number}/${number}` => `${task}/${index}`

/**
 * Returns the current labels of all docs of a run by {@link placeKey}, in the order of the docs. The cost grows with
 * the number of labels in the store, not with the number of docs.
 */
export async function labelsOfRun(
  store: Pick<Store, 'labels'>,
  run: Run,
  judgement?: Judgement,
): Promise<ReadonlyMap<`${number}/${number}`, readonly StoredLabel[]>> {
  const placed = await store.labels.ofRun(run, judgement)
  return new Map(
    placed.flatMap(({ task, index, labels }) => {
      const current = currentLabels(labels)
      return current.length === 0 ? [] : [[placeKey({ task, index }), current] as const]
    }),
  )
}
