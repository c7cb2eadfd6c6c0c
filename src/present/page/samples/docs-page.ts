import { factsReader } from '../../../../cache/facts/sample-facts.js'
import type { FoundDoc, OpenedRun, Store } from '../../../../cache/store.js'
import { readRunAbout } from '../../../reading/runs/run-about.js'
import { docKinds, docKindTest } from '../../../reading/samples/doc-kinds.js'
import { listedModel } from '../../text/results/run-header.js'
import type { ComparedRun, DocCell, DocRow, DocsPage, DocsQuery, SampleRow } from '../data/index.js'
import { rowAt } from './page-rows.js'

/** A run with the name that it was asked for by. */
export interface NamedRun {
  readonly name: string
  readonly opened: OpenedRun
}

type ReadRow = (place: { readonly task: number; readonly index: number }) => Promise<SampleRow | undefined>

/** Returns a page of the docs that a filter finds, with the sample of each run. */
export async function docsPage(
  store: Store,
  runs: readonly NamedRun[],
  { only, task, q, sort = 'disagreement', offset, limit }: DocsQuery,
  signal?: AbortSignal,
): Promise<DocsPage> {
  const { docs, counts, ...found } = await store.samples.findDocs(
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
  const readers = runs.map(({ opened }): ReadRow => {
    const factsOf = factsReader(opened)
    return place => rowAt(store, opened, place, { factsOf })
  })
  const rows: DocRow[] = []
  for (const doc of docs) {
    signal?.throwIfAborted()
    const row = await docRow(doc, readers)
    if (row !== undefined) rows.push(row)
  }
  const tasks = runs.flatMap(({ opened }) => opened.run.asked.tasks.map(({ name }) => name))
  return {
    runs: runs.map(comparedRun),
    tasks: [...new Set(tasks)],
    counts,
    ...found,
    rows,
  }
}

const comparedRun = ({ name, opened: { run } }: NamedRun): ComparedRun => {
  const { title } = readRunAbout(run)
  return { name, model: listedModel(run), ...(title !== undefined && { title }) }
}

/** Question, target and picture are those of the first run that has the doc. Undefined if no run has it any more. */
async function docRow(doc: FoundDoc, readers: readonly ReadRow[]): Promise<DocRow | undefined> {
  const samples = await Promise.all(
    doc.places.map((place, run) => Promise.resolve(place === null ? undefined : readers[run]?.(place))),
  )
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
  const { task, index, outcome, empty, cut, metric, value, isRight, answer, durationMs, outputTokens } = row
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
    ...(durationMs !== undefined && { durationMs }),
    ...(outputTokens !== undefined && { outputTokens }),
  }
}
