import type { DocsQuestion, FoundDoc, FoundDocs } from '../../cache/store.js'
import { measureDisagreement } from '../../cache/facts/doc-agreement.js'
import type { SampleFacts } from '../../cache/facts/sample-facts.js'

/** A sample of one run, by the name that the doc has in all runs. */
export interface ScannedSample {
  readonly key: string
  readonly task: string
  readonly place: { readonly task: number; readonly index: number }
  readonly facts: SampleFacts
  /** Whether the sample passes the filter. */
  readonly isWanted: boolean
}

/** Finds docs of several runs among all of their samples, as the index of a store in a folder does. */
export function scanDocs(
  runs: readonly (readonly ScannedSample[])[],
  { kind, counted, sort, offset, limit }: DocsQuestion,
): Omit<FoundDocs, 'prepared'> {
  const rows = new Map<string, (ScannedSample | undefined)[]>()
  for (const [run, samples] of runs.entries())
    for (const sample of samples) {
      const row = rows.get(sample.key) ?? runs.map(() => undefined)
      row[run] = sample
      rows.set(sample.key, row)
    }
  const spans = measureSpans(runs.flat())
  const wanted = [...rows.values()].filter(row => row.some(sample => sample?.isWanted === true))
  const docs = wanted.map(row => makeDoc(row, spans))
  const found = sortDocs(
    docs.filter(doc => kind.passes(doc)),
    sort,
  )
  return {
    total: found.length,
    counts: Object.fromEntries(counted.map(({ name, passes }) => [name, docs.filter(passes).length])),
    offset,
    docs: found.slice(offset, offset + limit),
  }
}

const nameMetric = ({ task, facts }: ScannedSample): string => `${task}\u0000${facts.metric}`

/** The distance between the lowest and the highest value of each metric, at least 1. */
function measureSpans(samples: readonly ScannedSample[]): ReadonlyMap<string, number> {
  const ranges = new Map<string, readonly [low: number, high: number]>()
  for (const sample of samples) {
    const { value } = sample.facts
    const [low, high] = ranges.get(nameMetric(sample)) ?? [0, 1]
    if (value !== null) ranges.set(nameMetric(sample), [Math.min(low, value), Math.max(high, value)])
  }
  return new Map([...ranges].map(([metric, [low, high]]) => [metric, high - low]))
}

function makeDoc(row: readonly (ScannedSample | undefined)[], spans: ReadonlyMap<string, number>): FoundDoc {
  const scored = row.filter(sample => sample !== undefined && sample.facts.value !== null) as readonly ScannedSample[]
  const metric = scored[0] === undefined ? '' : nameMetric(scored[0])
  // Values of different metrics are not compared. The first run's metrics count.
  const values = scored.filter(sample => nameMetric(sample) === metric).map(({ facts }) => facts.value ?? 0)
  const right = scored.filter(({ facts }) => facts.isRight === true).length
  return {
    runs: row.length,
    right,
    wrong: scored.length - right,
    disagreement: values.length < 2 ? null : measureDisagreement(values, spans.get(metric) ?? 1),
    places: row.map(sample => sample?.place ?? null),
  }
}

function sortDocs(docs: readonly FoundDoc[], sort: DocsQuestion['sort']): readonly FoundDoc[] {
  switch (sort) {
    case 'doc':
      return docs
    case 'disagreement':
      return docs.toSorted((a, b) => (b.disagreement ?? -1) - (a.disagreement ?? -1))
    case 'hardest':
      return docs.toSorted((a, b) => a.right - b.right)
  }
}
