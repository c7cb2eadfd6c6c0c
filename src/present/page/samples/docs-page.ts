import { factsReader } from '../../../../cache/facts/sample-facts.js'
import type { DocPlace, FoundDoc, OpenedRun, Store } from '../../../../cache/store.js'
import { readRunAbout } from '../../../reading/runs/run-about.js'
import { readSamplesAt } from '../../../reading/samples/sample-at.js'
import { docKinds, docKindTest } from '../../../reading/samples/doc-kinds.js'
import { listedModel } from '../../text/results/run-header.js'
import type { ComparedRun, DocCell, DocRow, DocsPage, DocsQuery, SampleRow } from '../data/index.js'
import { rowAt, rowsAtOnce } from './page-rows.js'

/** A run with the name that it was asked for by. */
export interface NamedRun {
  readonly name: string
  readonly opened: OpenedRun
}

/** Returns a page of the docs that a filter finds, with the sample of each run. */
export async function docsPage(
  store: Store,
  runs: readonly NamedRun[],
  { only, task, q, sort = 'disagreement', offset, limit }: DocsQuery,
  signal?: AbortSignal,
): Promise<DocsPage> {
  const { docs, counts, ...totals } = await store.samples.findDocs(
    runs.map(({ opened }) => opened),
    {
      kind: docKindTest(only),
      counted: docKinds.map(docKindTest),
      ...(task !== undefined && { task }),
      ...(q !== undefined && { q }),
      sort,
      offset,
      limit,
    },
    signal,
  )
  const readers = runs.map(({ opened }) => makeReader(store, opened, q))
  const rows: (DocRow | undefined)[] = []
  for (let start = 0; start < docs.length; start += rowsAtOnce) {
    signal?.throwIfAborted()
    const some = docs.slice(start, start + rowsAtOnce)
    const samples = await Promise.all(readers.map((read, run) => read(some.map(({ places }) => places[run] ?? null))))
    rows.push(
      ...some.map((doc, at) =>
        docRow(
          doc,
          samples.map(rowsOfRun => rowsOfRun[at]),
        ),
      ),
    )
  }
  const tasks = runs.flatMap(({ opened }) => opened.run.asked.tasks.map(({ name }) => name))
  return {
    runs: runs.map(comparedRun),
    tasks: [...new Set(tasks)],
    counts,
    ...totals,
    rows: rows.filter(row => row !== undefined),
  }
}

type ReadRows = (places: readonly (DocPlace | null)[]) => Promise<readonly (SampleRow | undefined)[]>

/** Returns a function that reads the rows of a run's samples at some places. A doc that the run lacks has no place and no row. */
function makeReader(store: Store, opened: OpenedRun, search: string | undefined): ReadRows {
  const factsOf = factsReader(opened)
  return async places => {
    const readSample = await readSamplesAt(
      store,
      opened,
      places.filter(place => place !== null),
    )
    return Promise.all(
      places.map(place =>
        place === null ? Promise.resolve(undefined) : rowAt(store, opened, place, { factsOf, readSample, search }),
      ),
    )
  }
}

const comparedRun = ({ name, opened: { run } }: NamedRun): ComparedRun => {
  const { title } = readRunAbout(run)
  return { name, model: listedModel(run), ...(title !== undefined && { title }) }
}

/** Question, target and picture are those of the first run that has the doc. Undefined if no run has it any more. */
function docRow(doc: FoundDoc, samples: readonly (SampleRow | undefined)[]): DocRow | undefined {
  const first = samples.find(row => row !== undefined)
  if (first === undefined) return undefined
  const { id, taskName, prompt, target, medium } = first
  const { right, wrong, disagreement } = doc
  return {
    id,
    taskName,
    prompt,
    target,
    ...(medium !== undefined && { medium }),
    right,
    scored: right + wrong,
    disagreement,
    cells: samples.map(row => (row === undefined ? null : docCell(row))),
  }
}

/** Makes the cell of a sample in the table of several runs. */
export const docCell = (row: SampleRow): DocCell => {
  const { task, index, outcome, empty, cut, metric, value, isRight, answer, extracted, durationMs, outputTokens } = row
  return {
    task,
    index,
    outcome,
    ...(empty === true && { empty }),
    ...(cut === true && { cut }),
    metric,
    value,
    isRight,
    answer,
    ...(extracted !== undefined && { extracted }),
    ...(durationMs !== undefined && { durationMs }),
    ...(outputTokens !== undefined && { outputTokens }),
  }
}
