import type { DocPlace } from '../../../store.js'
import type { BuildTarget } from '../building/build-target.js'

/** The highest numbers of rows that a store has. */
export interface NewestRows {
  readonly response: number | null
  readonly failure: number | null
}

/** The columns of an item that decide what filters and sorts read. */
export interface FactRow {
  readonly task: number
  readonly doc: number
  readonly doc_id: string
  readonly meta: string | null
  readonly score: string | null
  /** The length of the answer. Null without a text. Absent if it must be read from `body`. */
  readonly characters?: number | null
  readonly failure: number | null
  /** The request, for samples without a score only. */
  readonly input: string | null
  readonly body: string | null
}

/** The columns of an item that a search looks at. */
export interface TextSourceRow {
  readonly task: number
  readonly doc: number
  readonly doc_id: string
  readonly input: string | null
  readonly record: string | null
  readonly body: string | null
}

/** A doc with a later answer or failure. */
export interface MovedDoc extends DocPlace {
  readonly number: number
}

/** The facts that tell whether samples of a run changed, apart from the newest rows. */
export interface RunStamp {
  readonly started: number | null
  readonly progress: string | null
  readonly finished: number | null
}

/** Reads a store for the index. Rows are in the order of task, doc, choice and sample. */
export interface IndexSource {
  /** Returns a number that changes whenever a process commits. */
  version(): Promise<number>
  /** Counts the samples of a run. */
  countSamples(target: BuildTarget): Promise<number>
  listPlaces(target: BuildTarget, offset: number, limit: number): Promise<readonly DocPlace[]>
  /** @returns undefined if the run is gone */
  readStamp(target: BuildTarget): Promise<(RunStamp & { readonly isWorkedOn: boolean }) | undefined>
  readNewest(): Promise<NewestRows & { readonly score: number | null }>
  readFacts(target: BuildTarget, after: DocPlace, limit: number): Promise<readonly FactRow[]>
  readTexts(target: BuildTarget, after: DocPlace, limit: number): Promise<readonly TextSourceRow[]>
  readDocText(target: BuildTarget, place: DocPlace): Promise<readonly TextSourceRow[]>
  /** Lists docs with answers or failures of higher numbers. */
  listMoved(kind: 'response' | 'failure', target: BuildTarget, after: number): Promise<readonly MovedDoc[]>
  /** Names all runs, as `runName` does. */
  listRunNames(): Promise<readonly string[]>
  close(): Promise<void>
}

/** Tells whether the run has all docs of its tasks, or the first ones, so that the progress of reading is the number of docs. */
export function hasAllDocs({ run: { asked } }: BuildTarget): boolean {
  const { offset, subset, samples, shard, stop_when: stopWhen } = asked.selection
  return [offset, subset, samples, shard, stopWhen].every(part => part === undefined)
}

/** Remembers the counts of runs while the store does not change. */
export class SampleCounts {
  readonly #counts = new Map<number, { readonly version: number; readonly samples: number }>()

  async read({ run: { ref } }: BuildTarget, version: number, count: () => Promise<number>): Promise<number> {
    const cachedCount = this.#counts.get(ref)
    if (cachedCount?.version === version) return cachedCount.samples
    const samples = await count()
    this.#counts.set(ref, { version, samples })
    return samples
  }
}

/**
 * Returns a text that changes with the run's samples or their price. It is cheap for any size of run. While the run is worked on, any commit of
 * answers or scores changes it, because it would be expensive to find out which run they belong to.
 */
export async function readRunStamp(source: IndexSource, target: BuildTarget): Promise<string> {
  const stamp = await source.readStamp(target)
  if (stamp === undefined) return ''
  const { isWorkedOn, ...settled } = stamp
  const isMoving = isWorkedOn || (target.judgement !== undefined && settled.finished === null)
  return JSON.stringify([settled, isMoving ? await source.readNewest() : null, target.price])
}
