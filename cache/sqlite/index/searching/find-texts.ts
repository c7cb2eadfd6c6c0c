import { PipelineError } from '../../../../base/errors/errors.js'
import type { SampleQuestion } from '../../../store.js'
import { Places } from '../places.js'
import type { RunColumns } from '../run-columns.js'
import { select, type Selectable } from '../select.js'
import type { IndexSource } from '../source/index-source.js'
import { literalHits, mostLooked } from './literal-search.js'
import { convertHits, type Searches } from './searches.js'
import { textQuery } from './text-query.js'

/** The hits of a search so far. */
export interface FoundTexts {
  /** Returns the positions of the hits, in ascending order. */
  readonly found: () => Int32Array
  /** A text that changes when more is found. */
  readonly state: string
  /** The number of searched samples. */
  readonly samples: number
}

/** The time that an answer waits for the last hits, in milliseconds. A longer search continues, and the next answer has more hits. */
const waitMs = 250

/**
 * Looks for the words of a question: in the index where it has the texts, else in the texts of the first samples that the question finds.
 *
 * @returns undefined if the question has no words
 */
export async function findTexts(
  of: {
    readonly searches: Searches
    readonly store: IndexSource
    readonly run: RunColumns
    readonly from: Selectable
  },
  question: SampleQuestion,
  signal: AbortSignal | undefined,
): Promise<FoundTexts | undefined> {
  const { run, from } = of
  const query = textQuery(question.q ?? '')
  if (query === undefined) return undefined
  const places = new Places(from.columns)
  const { text } = run
  if (query.match !== undefined && text !== undefined && text.samples > 0) {
    const { hits, isDone, failure } = await of.searches.find(text, query.match, waitMs)
    signal?.throwIfAborted()
    if (failure !== undefined) throw new PipelineError('store', `the search failed: ${failure}`)
    const last = hits.at(-1)?.at(-1) ?? 0
    return {
      found: () => convertHits(hits, places),
      state: `${text.samples} ${hits.length} ${last} ${isDone}`,
      samples: isDone ? text.samples : Math.max(0, places.positionOf(last, -1)),
    }
  }
  const candidates = select(from, { ...question, q: '', sort: 'doc', descending: false })
  const { hits, looked } = await literalHits(of.store, run.target, {
    places: [...candidates.subarray(0, mostLooked)].map(position => places.at(position)),
    literals: query.literals,
    signal,
  })
  const isAll = looked === candidates.length && from.columns === run.columns
  return {
    found: () => Int32Array.from(hits, at => candidates[at] ?? 0),
    state: `literal ${looked}`,
    samples: isAll ? run.columns.length : looked,
  }
}
