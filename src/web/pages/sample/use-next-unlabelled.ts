/** Finds the next sample of a list that nobody has labelled. */
import { useState } from 'preact/hooks'
import type { SampleFilter } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import type { Neighbour } from './use-neighbours.js'

const pageRows = 200
/** Rows that are searched for one key press. The filter for unlabelled samples finds the next one in any list. */
const mostRows = 10_000

interface Search {
  readonly run: string
  readonly filter: SampleFilter
  /** The place of the current sample, which is skipped. */
  readonly task: number
  readonly index: number
  /** The offset that the sample had in the list when that was last known. */
  readonly last: number | undefined
  readonly show: (neighbour: Neighbour) => void
}

/** Keeps the result of the last search for a sample without a label. */
export function useNextUnlabelled(source: Source, search: Search) {
  const place = `${search.task}/${search.index}`
  const [outcome, setOutcome] = useState<{ readonly place: string; readonly error?: string }>()
  const next = (): void => {
    setOutcome(undefined)
    findUnlabelled(source, search).then(
      neighbour => (neighbour === undefined ? setOutcome({ place }) : search.show(neighbour)),
      (error: unknown) => setOutcome({ place, error: error instanceof Error ? error.message : String(error) }),
    )
  }
  const last = outcome?.place === place ? outcome : undefined
  return { next, isDone: last !== undefined && last.error === undefined, error: last?.error }
}

async function findUnlabelled(
  source: Source,
  { run, filter, task, index, last = 0 }: Search,
): Promise<Neighbour | undefined> {
  const isNext = (row: Neighbour['row']): boolean =>
    row.marked === undefined && (row.task !== task || row.index !== index)
  const findBetween = async (start: number, end: number): Promise<Neighbour | undefined> => {
    for (let offset = start; offset < end; offset += pageRows) {
      const { rows } = await source.samples(run, { ...filter, offset, limit: Math.min(pageRows, end - offset) })
      const at = rows.findIndex(isNext)
      const row = rows[at]
      if (row !== undefined) return { row, offset: offset + at }
      if (rows.length === 0) return undefined
    }
    return undefined
  }
  // A sample that was labelled meanwhile may have left the list, and the next one has its offset now.
  const position = await source.position(run, filter, task, index)
  const from = position === null ? last : position + 1
  return (await findBetween(from, from + mostRows)) ?? findBetween(0, Math.min(from, mostRows))
}
