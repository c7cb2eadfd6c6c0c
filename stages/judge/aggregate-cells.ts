import type { DisjointSets } from '../../base/collections/disjoint-sets.js'
import { addCount } from '../../base/collections/counts.js'
import { ownValue } from '../../base/values/named-values.js'
import { describeThrown } from '../../cache/code/thrown-position.js'
import { hasFailed, isUnparsed } from '../../cache/facts/value-facts.js'
import type { ScoreBody } from '../../cache/records.js'
import { type Collector, collectorFor } from './collector.js'
import type { CompiledMetric } from './compile/compile-scoring.js'
import { type Draws, collectDraws, numberMedium } from './draws.js'
import { noLabel } from './score-marks.js'

/** The parts of a doc that other docs of the task may share. */
export interface AnswerSource {
  /** The number of the doc's answer, which is the same for docs that share it; undefined if it is unknown. */
  readonly draw?: number | undefined
  /** The digests of the media that the doc's question shows. */
  readonly media?: readonly string[] | undefined
}

/** The fields and clusters that all values of a task share. */
interface PartsAbout {
  /** The fields of the breakdown. */
  readonly fields: readonly string[]
  /** The task and the value, from which the draws of a bootstrap follow. */
  readonly names: readonly string[]
  /** The media that docs show together, by their numbers. */
  readonly media: DisjointSets<number>
}

/** The values of one metric after one filter pipeline: for the whole task and for each label. */
export class Parts {
  readonly whole: Cell
  readonly #metric: CompiledMetric
  readonly #about: PartsAbout
  readonly #groups = new Map<string, Map<string, Cell>>()

  constructor(metric: CompiledMetric, about: PartsAbout) {
    this.#metric = metric
    this.#about = about
    this.whole = emptyCell(metric, about)
  }

  /** @param origin the name of the metric that returns the value under a name of its own */
  add(body: ScoreBody, name: string, source: AnswerSource, origin = name): void {
    const value = { name, isFailed: hasFailed(body, name) || hasFailed(body, origin), ...source }
    addTo(this.whole, body, value)
    // Scores from before docs without a label were counted have no entry for the field.
    for (const field of this.#about.fields)
      addTo(this.group(field, ownValue(body.groups, field) ?? noLabel), body, value)
  }

  /** Makes the parts of another metric that has no value of any doc so far. */
  emptied(metric: CompiledMetric, names: readonly string[]): Parts {
    const parts = new Parts(metric, { ...this.#about, names })
    copyCounts(this.whole, parts.whole)
    for (const [field, labels] of this.#groups)
      for (const [label, cell] of labels) copyCounts(cell, parts.group(field, label))
    return parts
  }

  *cells(): Generator<Cell> {
    yield this.whole
    for (const labels of this.#groups.values()) yield* labels.values()
  }

  labels(field: string): Iterable<string> {
    return this.#groups.get(field)?.keys() ?? []
  }

  group(field: string, label: string): Cell {
    const labels = this.#groups.get(field) ?? new Map<string, Cell>()
    this.#groups.set(field, labels)
    const names = [...this.#about.names, field, label]
    const cell = labels.get(label) ?? emptyCell(this.#metric, { ...this.#about, names })
    labels.set(label, cell)
    return cell
  }
}

/** Counts and values of one metric for the whole task or one label. */
export interface Cell {
  readonly collector: Collector
  readonly draws: Draws
  /** The first medium that each doc shows, else its answer. */
  readonly units: Draws
  docs: number
  n: number
  unparsed: number
  empty: number
  cut: number
  emptyCut: number
  readonly endings: Map<string, number>
  reasoned: number
  reasoningCharacters: number
  /** The number of judged docs to which the metric does not apply. */
  aside: number
  /** The reason why the values can't be aggregated. */
  error?: string
}

const emptyCell = ({ aggregation, range }: CompiledMetric, { names, media }: PartsAbout): Cell => ({
  collector: collectorFor(aggregation, { range, seed: JSON.stringify(names) }),
  draws: collectDraws(),
  units: collectDraws(media),
  docs: 0,
  n: 0,
  unparsed: 0,
  empty: 0,
  cut: 0,
  emptyCut: 0,
  endings: new Map(),
  reasoned: 0,
  reasoningCharacters: 0,
  aside: 0,
})

function copyCounts({ docs, aside }: Cell, to: Cell): void {
  to.docs = docs
  to.aside = aside
}

interface AddedValue extends AnswerSource {
  readonly name: string
  readonly isFailed: boolean
}

function addTo(cell: Cell, body: ScoreBody, { name, isFailed, draw, media }: AddedValue): void {
  cell.docs += 1
  if (isFailed) return
  const value = ownValue(body.values, name)
  if (value === undefined) {
    cell.aside += 1
    return
  }
  cell.n += 1
  if (isUnparsed(body, name)) cell.unparsed += 1
  mark(cell, body)
  try {
    cell.draws.add(draw)
    cell.units.add(media?.[0] === undefined ? draw : numberMedium(media[0]))
    cell.collector.add(value, body.cluster)
  } catch (error) {
    cell.error ??= describeThrown(error)
  }
}

function mark(cell: Cell, { empty = false, cut = false, ending, reasoning = 0 }: ScoreBody): void {
  if (empty) cell.empty += 1
  if (cut) cell.cut += 1
  if (empty && cut) cell.emptyCut += 1
  if (ending !== undefined) addCount(cell.endings, ending)
  if (reasoning > 0) cell.reasoned += 1
  cell.reasoningCharacters += reasoning
}
