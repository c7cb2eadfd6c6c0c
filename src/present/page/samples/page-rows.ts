import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { factsReader, type ReadFacts } from '../../../../cache/facts/sample-facts.js'
import type { FoundSample, OpenedRun, Store } from '../../../../cache/store.js'
import { readSamplesAt, sampleAt, type ReadSample } from '../../../reading/samples/sample-at.js'
import { parseRanges } from '../../../reading/samples/number-ranges.js'
import { kindTest } from '../../../reading/samples/sample-kinds.js'
import type { SampleFilter, SampleRow, SampleRows, SampleRowsQuery } from '../data/index.js'
import { sampleRow } from './sample-row.js'

/** The number of samples that are read at once. */
export const rowsAtOnce = 25

/** Returns a page of the samples that a filter finds. @param against the run that the filter compares with */
export async function pageRows(
  store: Store,
  opened: OpenedRun,
  query: SampleRowsQuery,
  { against, signal }: { readonly against: OpenedRun | undefined; readonly signal: AbortSignal | undefined },
): Promise<SampleRows> {
  const question = { ...makeQuestion(query), offset: query.offset, limit: query.limit }
  const { samples, ...totals } = await store.samples.find(opened, question, against, signal)
  const factsOf = factsReader(opened)
  const rows: (SampleRow | undefined)[] = []
  // Reading the headers of pictures waits for the disk, so several rows are read at once.
  for (let start = 0; start < samples.length; start += rowsAtOnce) {
    signal?.throwIfAborted()
    const some = samples.slice(start, start + rowsAtOnce)
    const readSample = await readSamplesAt(store, opened, some)
    rows.push(
      ...(await Promise.all(some.map(place => rowAt(store, opened, place, { factsOf, readSample, search: query.q })))),
    )
  }
  return { ...totals, rows: rows.filter(row => row !== undefined) }
}

/** Converts a filter to a question for the index. */
export const makeQuestion = ({ only, ranges, ...others }: SampleFilter) => ({
  ...others,
  ...(ranges !== undefined && { ranges: parseRanges(ranges) }),
  kind: kindTest(only),
})

/** Reads the row of a sample. Undefined if the sample is gone. The row of a damaged sample names the damage. */
export async function rowAt(
  store: Store,
  opened: OpenedRun,
  { task, index, ...marks }: FoundSample,
  {
    factsOf,
    readSample = place => sampleAt(store, opened, place),
    search,
  }: { readonly factsOf: ReadFacts; readonly readSample?: ReadSample; readonly search?: string | undefined },
): Promise<SampleRow | undefined> {
  try {
    const sample = await readSample({ task, index })
    return sample && { ...(await sampleRow(store.media, opened, sample, { facts: factsOf(sample), search })), ...marks }
  } catch (error) {
    if (!(error instanceof PipelineError) || error.reason !== 'record-damaged') throw error
    return { ...damagedRow(opened, { task, index }, error), ...marks }
  }
}

/** Makes the row of an unreadable sample, so that one damaged sample does not hide a whole list. */
function damagedRow({ run }: OpenedRun, { task, index }: FoundSample, error: unknown): SampleRow {
  return {
    task,
    index,
    id: String(index),
    taskName: run.asked.tasks[task]?.name ?? '',
    outcome: 'error',
    metric: '',
    value: null,
    isRight: null,
    prompt: '',
    answer: messageOf(error),
    target: '',
  }
}
