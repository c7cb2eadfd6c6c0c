import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { SampleFilter, SampleRow, SampleRows } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { RowPages } from './row-pages.js'

/** While filters are being prepared, what is in sight is asked for again this often. */
const preparingMs = 1500

/** The loaded rows of a list, and a function that loads those in sight. */
export interface ShownRows {
  readonly total?: number
  readonly prepared?: SampleRows['prepared']
  readonly error?: string
  readonly version: number
  readonly row: (index: number) => SampleRow | undefined
  readonly isLoaded: (index: number) => boolean
  readonly show: (start: number, end: number) => void
}

/** The rows that a filter finds. They are asked for anew when the run moves, and while filters are being prepared. */
export function useRowPages(source: Source, run: string, filter: SampleFilter): ShownRows {
  const key = JSON.stringify([run, filter])
  const [, setVersion] = useState(0)
  const held = useRef<{ key: string; pages: RowPages } | undefined>(undefined)
  if (held.current?.key !== key) {
    held.current?.pages.close()
    const pages: RowPages = new RowPages(
      (offset, limit, signal) => source.samples(run, { ...filter, offset, limit }, signal),
      () => {
        if (held.current?.pages === pages) setVersion(count => count + 1)
      },
    )
    held.current = { key, pages }
    pages.show(0, 1)
  }
  const { pages } = held.current
  useEffect(() => () => held.current?.pages.close(), [])
  useEffect(
    () =>
      source.watch(
        moved => (moved === undefined || moved.includes(extractRunName(run))) && held.current?.pages.refresh(),
      ),
    [run],
  )
  const isPreparing = pages.prepared !== undefined && !isPrepared(filter, pages.prepared)
  useEffect(() => {
    if (!isPreparing) return undefined
    const timer = setInterval(() => held.current?.pages.refresh(), preparingMs)
    return () => clearInterval(timer)
  }, [isPreparing, key])
  const show = useCallback((start: number, end: number) => held.current?.pages.show(start, end), [key])
  const isLoaded = useCallback((index: number) => held.current?.pages.row(index) !== undefined, [])
  return {
    ...(pages.total !== undefined && { total: pages.total }),
    ...(pages.prepared !== undefined && { prepared: pages.prepared }),
    ...(pages.error !== undefined && { error: pages.error }),
    version: pages.version,
    row: index => pages.row(index),
    isLoaded,
    show,
  }
}

/** `NAME` of `NAME@2`. */
const extractRunName = (run: string): string => run.replace(/@\d+$/, '')

/** Returns whether an answer to the filter can still grow. */
export const isPrepared = ({ q }: SampleFilter, { of, filters, text }: SampleRows['prepared']): boolean =>
  filters >= of && (q === undefined || text >= of)
