/** Finds the position of a sample in the filtered list that it was opened from, and its neighbours. */
import { useEffect } from 'preact/hooks'
import type { SampleFilter, SampleRow } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { useLoaded } from '../../data/use-loaded.js'

/** A sample before or after the current one. */
export interface Neighbour {
  readonly row: SampleRow
  readonly offset: number
}

/** The neighbours of a sample in its list. */
export interface Neighbours {
  readonly offset?: number
  readonly total?: number
  readonly previous?: Neighbour
  readonly next?: Neighbour
  /** True if the list does not have the sample. */
  readonly isOutside: boolean
}

interface NeighbourQuery {
  readonly run: string
  readonly filter: SampleFilter
  readonly task: number
  readonly index: number
  /** The offset that the address says. It is checked, since the list may have changed. */
  readonly given: number | undefined
}

/** Keeps the neighbours of the current sample loaded. */
export function useNeighbours(source: Source, question: NeighbourQuery): Neighbours {
  const { run, filter, task, index } = question
  const key = JSON.stringify([run, filter, task, index])
  const { value, isLoading } = useLoaded(key, signal => findNeighbours(source, question, signal))
  const near = value !== undefined && !isLoading ? value : { isOutside: false }
  // The next sample is prefetched.
  useEffect(() => {
    const row = near.next?.row
    if (row === undefined) return
    source.sample(run, row.task, row.index).catch(() => undefined)
    const picture = row.medium === undefined ? undefined : source.thumbnailUrl(row.medium, 640)
    if (picture !== undefined) new Image().src = picture
  }, [near.next?.offset, key])
  return near
}

/** Loads the neighbours of a sample in its filtered list. */
async function findNeighbours(source: Source, question: NeighbourQuery, signal?: AbortSignal): Promise<Neighbours> {
  const { run, filter, task, index, given } = question
  const around = async (offset: number): Promise<Neighbours | undefined> => {
    const first = Math.max(0, offset - 1)
    const { rows, total } = await source.samples(run, { ...filter, offset: first, limit: 3 }, signal)
    const position = rows.findIndex(row => row.task === task && row.index === index)
    if (position < 0) return undefined
    const at = (step: number): Neighbour | undefined => {
      const row = rows[position + step]
      return row === undefined ? undefined : { row, offset: first + position + step }
    }
    const previous = at(-1)
    const next = at(1)
    return {
      offset: first + position,
      total,
      ...(previous !== undefined && { previous }),
      ...(next !== undefined && { next }),
      isOutside: false,
    }
  }
  const near = given === undefined ? undefined : await around(given)
  if (near !== undefined && (near.previous !== undefined || near.offset === 0)) return near
  const offset = near?.offset ?? (await source.position(run, filter, task, index, signal))
  return (offset === null ? undefined : await around(offset)) ?? { isOutside: true }
}
