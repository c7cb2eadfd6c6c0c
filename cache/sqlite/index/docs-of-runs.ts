/** Puts docs of several runs side by side: pairs samples of the same doc, measures disagreement, and answers questions. */
import { measureDisagreement } from '../../facts/doc-agreement.js'
import { isRightValue, lowerIsBetter } from '../../facts/sample-facts.js'
import type { AgreementFacts, DocPlace, DocsQuestion, FoundDoc, FoundDocs, OpenedRun } from '../../store.js'
import type { Columns } from './columns.js'
import { makePairer } from './pairing.js'
import { lowerAt, type Selectable } from './select.js'
import { sortPositions } from './sort-positions.js'

/** The columns of one of the runs. */
export interface RunPart extends Pick<Selectable, 'columns' | 'tasks' | 'isLowerBetter'> {
  /** The samples that pass the filter. */
  readonly positions: Int32Array
}

/** Makes the part of a run from what its index found. */
export function makeRunPart(opened: OpenedRun | undefined, columns: Columns, positions: Int32Array): RunPart {
  return {
    columns,
    positions,
    tasks: opened?.run.asked.tasks.map(({ name }) => name) ?? [],
    isLowerBetter: lowerIsBetter(opened?.judgement?.aggregates),
  }
}

type Prepared = FoundDocs['prepared']

/** Adds up the prepared samples of several runs. */
export const addPrepared = (runs: readonly Prepared[]): Prepared =>
  runs.reduce((sum, { of, filters, text }) => ({
    of: sum.of + of,
    filters: sum.filters + filters,
    text: sum.text + text,
  }))

/** Counts the first samples, which are read while nothing is prepared, and may be all. @param first their number */
export const countFirst = (prepared: Prepared, first: number): Prepared => ({
  ...prepared,
  filters: Math.max(prepared.filters, Math.min(first, prepared.of)),
})

type Question = Pick<DocsQuestion, 'kind' | 'counted' | 'sort' | 'offset' | 'limit'>

/** Each run's positions of all docs, and the values of the docs. */
interface AlignedDocs {
  /** The lengths of the columns when they were aligned. Columns grow while a run is prepared. */
  readonly parts: readonly { readonly columns: Columns; readonly length: number }[]
  readonly positions: readonly Int32Array[]
  readonly right: Uint8Array
  readonly wrong: Uint8Array
  /** NaN with fewer than two values. */
  readonly disagreement: Float64Array
}

/** Finds docs of several runs. The alignment of the last runs is kept, since a list is read page by page. */
export class DocsOfRuns {
  #last: AlignedDocs | undefined

  find(parts: readonly RunPart[], question: Question): Pick<FoundDocs, 'total' | 'counts' | 'docs'> {
    const aligned = this.#align(parts)
    const rows = filterRows(aligned, parts)
    const factsAt = (row: number): AgreementFacts => readFacts(aligned, row)
    const counts = Object.fromEntries(
      question.counted.map(({ name, passes }) => [name, rows.reduce((n, row) => n + Number(passes(factsAt(row))), 0)]),
    )
    const orderedRows = orderRows(
      aligned,
      rows.filter(row => question.kind.passes(factsAt(row))),
      question.sort,
    )
    const page = [...orderedRows.subarray(question.offset, question.offset + question.limit)]
    return { total: orderedRows.length, counts, docs: page.map(row => makeDoc(aligned, row)) }
  }

  #align(parts: readonly RunPart[]): AlignedDocs {
    const last = this.#last?.parts
    const isSame =
      last?.length === parts.length &&
      parts.every(({ columns }, at) => last[at]?.columns === columns && last[at].length === columns.length)
    if (this.#last === undefined || !isSame) this.#last = alignDocs(parts)
    return this.#last
  }
}

function alignDocs(parts: readonly RunPart[]): AlignedDocs {
  const positions = alignPositions(parts.map(({ columns }) => columns))
  const rows = positions[0]?.length ?? 0
  const aligned: AlignedDocs = {
    parts: parts.map(({ columns }) => ({ columns, length: columns.length })),
    positions,
    right: new Uint8Array(rows),
    wrong: new Uint8Array(rows),
    disagreement: new Float64Array(rows).fill(NaN),
  }
  const isLower = parts.map(part => lowerAt(part))
  const spans = measureSpans(parts)
  const values: number[] = []
  for (let row = 0; row < rows; row += 1) {
    values.length = 0
    let key: string | undefined
    for (const [run, part] of parts.entries()) {
      const at = positions[run]?.[row] ?? -1
      const value = at === -1 ? NaN : (part.columns.columns.value[at] ?? NaN)
      if (Number.isNaN(value)) continue
      const counts = isRightValue(value, isLower[run]?.(at) === true) ? aligned.right : aligned.wrong
      counts[row] = (counts[row] ?? 0) + 1
      // Values of different metrics are not compared. The first run's metrics count.
      const own = metricAt(part, at)
      key ??= own
      if (key === own) values.push(value)
    }
    if (values.length > 1) aligned.disagreement[row] = measureDisagreement(values, spans.get(key ?? '') ?? 1)
  }
  return aligned
}

/** Returns the position of each doc in each run, -1 where a run does not have it. Docs of further runs follow those of the first. */
function alignPositions(runs: readonly Columns[]): readonly Int32Array[] {
  let identities = new Float64Array(0)
  const pairings = runs.map(own => {
    const next = makePairer(own)
    const paired = Int32Array.from(identities, (identity, row) => next(identity, row))
    const takenFlags = new Uint8Array(own.length)
    for (const at of paired) if (at !== -1) takenFlags[at] = 1
    const rest = Int32Array.from({ length: own.length }, (_, at) => at).filter(at => takenFlags[at] === 0)
    const more = Float64Array.from(rest, at => own.columns.identity[at] ?? 0)
    const longer = new Float64Array(identities.length + more.length)
    longer.set(identities)
    longer.set(more, identities.length)
    identities = longer
    return { paired, rest }
  })
  return pairings.map(({ paired, rest }) => {
    const positions = new Int32Array(identities.length).fill(-1)
    positions.set(paired)
    positions.set(rest, paired.length)
    return positions
  })
}

const metricAt = ({ columns, tasks }: RunPart, at: number): string =>
  `${tasks[columns.columns.task[at] ?? 0] ?? ''}\u0000${columns.dictionary.metrics[columns.columns.metric[at] ?? 0] ?? ''}`

/** Returns the distance between the lowest and the highest value of each metric, at least 1, so that metrics from 0 to 100 do not come before those from 0 to 1. */
function measureSpans(parts: readonly RunPart[]): ReadonlyMap<string, number> {
  const ranges = new Map<string, [low: number, high: number]>()
  for (const part of parts)
    for (let at = 0; at < part.columns.length; at += 1) {
      const value = part.columns.columns.value[at] ?? NaN
      // Almost all values are from 0 to 1, and need no look at their metric.
      if (Number.isNaN(value) || (value >= 0 && value <= 1)) continue
      const key = metricAt(part, at)
      const range = ranges.get(key) ?? [0, 1]
      ranges.set(key, [Math.min(range[0], value), Math.max(range[1], value)])
    }
  return new Map([...ranges].map(([key, [low, high]]) => [key, high - low]))
}

/** Returns the rows in which at least one run's sample passes the filter. */
function filterRows({ positions }: AlignedDocs, parts: readonly RunPart[]): Int32Array {
  const rows = positions[0]?.length ?? 0
  const passes = new Uint8Array(rows)
  for (const [run, { columns, positions: passing }] of parts.entries()) {
    const isPassing = new Uint8Array(columns.length)
    for (const at of passing) isPassing[at] = 1
    const own = positions[run]
    for (let row = 0; row < rows; row += 1) if (isPassing[own?.[row] ?? -1] === 1) passes[row] = 1
  }
  return Int32Array.from({ length: rows }, (_, row) => row).filter(row => passes[row] === 1)
}

function readFacts({ parts, right, wrong, disagreement }: AlignedDocs, row: number): AgreementFacts {
  const distance = disagreement[row] ?? NaN
  return {
    runs: parts.length,
    right: right[row] ?? 0,
    wrong: wrong[row] ?? 0,
    disagreement: Number.isNaN(distance) ? null : distance,
  }
}

function orderRows({ right, disagreement }: AlignedDocs, rows: Int32Array, sort: Question['sort']): Int32Array {
  switch (sort) {
    case 'doc':
      return rows
    case 'disagreement':
      return sortPositions(rows, row => disagreement[row] ?? NaN, true)
    case 'hardest':
      return sortPositions(rows, row => right[row] ?? 0, false)
  }
}

function makeDoc(aligned: AlignedDocs, row: number): FoundDoc {
  const places = aligned.parts.map(({ columns }, run): DocPlace | null => {
    const at = aligned.positions[run]?.[row] ?? -1
    return at === -1 ? null : { task: columns.columns.task[at] ?? 0, index: columns.columns.index[at] ?? 0 }
  })
  return { ...readFacts(aligned, row), places }
}
