/** Where a sample stands in the filtered list that it was opened from, and what is before and after it. */
import { useEffect } from 'preact/hooks'
import type { SampleFilter, SampleRow } from '../../../views/page-data/index.js'
import type { Source } from '../../data/source.js'
import { useLoaded } from '../../data/use-loaded.js'

export interface Neighbour {
  readonly row: SampleRow
  readonly offset: number
}

export interface Neighbours {
  readonly offset?: number
  readonly total?: number
  readonly previous?: Neighbour
  readonly next?: Neighbour
  /** Whether the list does not have the sample. */
  readonly isOutside: boolean
}

interface Asked {
  readonly run: string
  readonly filter: SampleFilter
  readonly task: number
  readonly index: number
  /** The offset that the address says. It is checked, since the list may have changed. */
  readonly given: number | undefined
}

export function useNeighbours(source: Source, asked: Asked): Neighbours {
  const { run, filter, task, index } = asked
  const key = JSON.stringify([run, filter, task, index])
  const { value, isLoading } = useLoaded(key, signal => neighboursOf(source, asked, signal))
  const near = value !== undefined && !isLoading ? value : { isOutside: false }
  // The next sample is read ahead, so that the browser has it when the reader goes on.
  useEffect(() => {
    const row = near.next?.row
    if (row === undefined) return
    source.sample(run, row.task, row.index).catch(() => undefined)
    const picture = row.medium === undefined ? undefined : source.thumbnailUrl(row.medium, 640)
    if (picture !== undefined) new Image().src = picture
  }, [near.next?.offset, key])
  return near
}

export async function neighboursOf(source: Source, asked: Asked, signal?: AbortSignal): Promise<Neighbours> {
  const { run, filter, task, index, given } = asked
  const around = async (offset: number): Promise<Neighbours | undefined> => {
    const first = Math.max(0, offset - 1)
    const { rows, total } = await source.samples(run, { ...filter, offset: first, limit: 3 }, signal)
    const place = rows.findIndex(row => row.task === task && row.index === index)
    if (place < 0) return undefined
    const at = (step: number): Neighbour | undefined => {
      const row = rows[place + step]
      return row === undefined ? undefined : { row, offset: first + place + step }
    }
    const previous = at(-1)
    const next = at(1)
    return {
      offset: first + place,
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
