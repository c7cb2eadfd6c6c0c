import type { LabelValue } from '../../records.js'
import type { OpenedRun, Store } from '../../store.js'
import { labelsOfRun } from '../../facts/current-labels.js'
import type { Places } from './places.js'
import { keepLast } from './run-columns.js'

interface KnownMarks {
  readonly version: number
  readonly marks: ReadonlyMap<string, LabelValue>
}

const mostRuns = 20

/** Caches the current labels of runs' answers. The newest label counts. */
export class RunMarks {
  readonly #store: Pick<Store, 'labels'>
  readonly #known = new Map<string, KnownMarks>()

  constructor(store: Pick<Store, 'labels'>) {
    this.#store = store
  }

  /**
   * Returns marks by `TASK/INDEX`.
   *
   * @param version a number that changes whenever a process commits
   */
  async of({ run, judgement }: OpenedRun, version: number): Promise<KnownMarks['marks']> {
    const key = `${run.ref} ${judgement?.ref ?? 0}`
    const cachedMarks = this.#known.get(key)
    if (cachedMarks?.version === version) return cachedMarks.marks
    const marks = new Map<string, LabelValue>()
    for (const [place, labels] of await labelsOfRun(this.#store, run, judgement)) {
      const mark = labels.at(-1)?.label
      if (mark !== undefined && mark !== null) marks.set(place, mark)
    }
    return keepLast(this.#known, key, { version, marks }, mostRuns).marks
  }
}

/** Converts the places of marks to positions. */
export function atPositions(marks: KnownMarks['marks'], places: Places): ReadonlyMap<number, LabelValue> {
  const marksByPosition = new Map<number, LabelValue>()
  for (const [key, mark] of marks) {
    const [task = 0, index = 0] = key.split('/').map(Number)
    const position = places.position({ task, index })
    if (position !== -1) marksByPosition.set(position, mark)
  }
  return marksByPosition
}
