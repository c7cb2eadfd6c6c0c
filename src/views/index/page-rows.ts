import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import type { DocPlace, Store } from '../../../cache/store.js'
import type { OpenedRun } from '../../evaluation/run-reference.js'
import { sampleAt } from '../../report/samples/sample-at.js'
import { lowerIsBetter } from '../../report/samples/sample-kinds.js'
import type { SampleRow } from '../page-data/index.js'
import { sampleRow } from '../samples/sample-row.js'

const atOnce = 25

/** Reads the rows of some samples, in the order of the places. A sample that is gone is left out, and one that is damaged says so. */
export async function pageRows(
  store: Store,
  opened: OpenedRun,
  places: readonly DocPlace[],
  signal?: AbortSignal,
): Promise<readonly SampleRow[]> {
  const lower = lowerIsBetter(opened.judgement?.aggregates ?? [])
  const rows: (SampleRow | undefined)[] = []
  // Reading the headers of pictures waits for the disk, so several rows are read at once.
  for (let start = 0; start < places.length; start += atOnce) {
    signal?.throwIfAborted()
    const some = places.slice(start, start + atOnce)
    rows.push(...(await Promise.all(some.map(place => rowAt(store, opened, place, lower)))))
  }
  return rows.filter(row => row !== undefined)
}

async function rowAt(
  store: Store,
  opened: OpenedRun,
  place: DocPlace,
  lower: ReadonlySet<string>,
): Promise<SampleRow | undefined> {
  try {
    const sample = await sampleAt(store, opened, place)
    return sample === undefined ? undefined : await sampleRow(store.media, opened.run, sample, lower)
  } catch (error) {
    if (!(error instanceof PipelineError) || error.reason !== 'record-damaged') throw error
    return damagedRow(opened, place, error)
  }
}

/** A list of a thousand samples is shown although one of them cannot be read. */
function damagedRow({ run }: OpenedRun, { task, index }: DocPlace, error: unknown): SampleRow {
  return {
    task,
    index,
    id: String(index),
    taskName: run.asked.tasks[task]?.name ?? '',
    outcome: 'error',
    value: null,
    isRight: null,
    prompt: '',
    answer: messageOf(error),
    target: '',
  }
}
