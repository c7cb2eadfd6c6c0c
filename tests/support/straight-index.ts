import type { DocPlace, Sample, Store } from '../../cache/store.js'
import type { OpenedRun } from '../../src/evaluation/run-reference.js'
import { lowerIsBetter } from '../../src/report/samples/sample-kinds.js'
import { labelsOfRun } from '../../src/labels/current-labels.js'
import type { Facet, SampleFilter, SampleRow, SampleRows, SampleRowsQuery } from '../../src/views/page-data/index.js'
import { isFound, orderOf, type ComparableRow } from '../../src/views/sample-filter.js'
import { sampleRow } from '../../src/views/samples/sample-row.js'
import { facet } from '../../src/views/index/facets.js'
import type { SampleIndex } from '../../src/views/index/sample-index.js'

/** Reads all samples of a run for each query. It needs no preparation, and suits small runs only. */
export class StraightIndex implements SampleIndex {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async rows(
    opened: OpenedRun,
    query: SampleRowsQuery,
    against?: OpenedRun,
    signal?: AbortSignal,
  ): Promise<SampleRows> {
    const all = await this.#all(opened, against, signal)
    const found = sorted(all, query)
    const rows = found.slice(query.offset, query.offset + query.limit).map(({ row }) => row)
    const prepared = { of: all.length, filters: all.length, text: all.length }
    return { total: found.length, prepared, offset: query.offset, rows }
  }

  async facets(opened: OpenedRun): Promise<readonly Facet[]> {
    const fields = new Map<string, Map<string, number>>()
    for (const { groups } of await this.#all(opened)) {
      for (const [field, label] of Object.entries(groups)) {
        const labels = fields.get(field) ?? new Map<string, number>()
        fields.set(field, labels.set(label, (labels.get(label) ?? 0) + 1))
      }
    }
    return [...fields].map(([field, labels]) => facet(field, labels))
  }

  async position(opened: OpenedRun, query: SampleFilter, place: DocPlace, against?: OpenedRun): Promise<number> {
    const found = sorted(await this.#all(opened, against), query)
    return found.findIndex(({ row }) => row.task === place.task && row.index === place.index)
  }

  prepare(): void {
    // Every query reads the store.
  }

  async close(): Promise<void> {
    // Nothing is open.
  }

  async #all(opened: OpenedRun, against?: OpenedRun, signal?: AbortSignal): Promise<readonly ComparableRow[]> {
    const others = new Map<string, SampleRow>()
    if (against !== undefined) for (const { key, row } of await this.#read(against, signal)) others.set(key, row)
    const lower = lowerIsBetter(opened.judgement?.aggregates ?? [])
    const marks = await labelsOfRun(this.#store, opened.run, opened.judgement)
    return (await this.#read(opened, signal)).map(({ key, row, sample }): ComparableRow => {
      const otherValue = others.get(key)?.value
      const mark = marks.get(`${row.task}/${row.index}`)?.at(-1)?.label
      const metric = Object.keys(sample.score?.values ?? {})[0] ?? ''
      return {
        row: {
          ...row,
          ...(against === undefined ? {} : { otherValue: otherValue ?? null }),
          ...(mark === undefined || mark === null ? {} : { marked: mark }),
        },
        groups: sample.score?.groups ?? {},
        lowerIsBetter: lower.has(metric),
        text: `${row.id} ${JSON.stringify(sample.record.target)} ${sample.items
          .flatMap(({ request, response }) => [
            ...(request?.input.messages.flatMap(({ content }) =>
              content.flatMap(part => (part.type === 'text' ? [part.text] : [])),
            ) ?? []),
            response?.body.text ?? '',
          ])
          .join(' ')}`,
      }
    })
  }

  /** Docs with equal ids are distinguished by their order, as a comparison does. */
  async #read({ run, judgement }: OpenedRun, signal?: AbortSignal): Promise<readonly KeyedRow[]> {
    const lower = lowerIsBetter(judgement?.aggregates ?? [])
    const seen = new Map<string, number>()
    const all: KeyedRow[] = []
    for await (const sample of this.#store.judgements.samples(run, judgement)) {
      signal?.throwIfAborted()
      const row = await sampleRow(this.#store.media, run, sample, lower)
      const name = `${row.taskName}\u0000${sample.id}`
      const before = seen.get(name) ?? 0
      seen.set(name, before + 1)
      all.push({ key: `${name}\u0000${before}`, row, sample })
    }
    return all
  }
}

interface KeyedRow {
  readonly key: string
  readonly row: SampleRow
  readonly sample: Sample
}

function sorted(all: readonly ComparableRow[], query: SampleFilter): readonly ComparableRow[] {
  const found = all.filter(row => isFound(row, { ...query, q: '' }) && hasWords(row.text, query.q ?? ''))
  const order = orderOf(query)
  return order === undefined ? found : [...found].sort(order)
}

/** Short words are looked for whole, longer ones as the beginnings of words. */
function hasWords(text: string, q: string): boolean {
  const words = wordsOf(text)
  return wordsOf(q).every(wanted => words.some(word => (wanted.length < 3 ? word === wanted : word.startsWith(wanted))))
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
