import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { SampleFilter, SampleRow, SampleRows } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { RowPages, type LoadedRows } from './row-pages.js'

/** The interval of reloads while filters are being prepared, in milliseconds. */
const preparingMs = 1500

/** The loaded rows of a list, and a function that loads the visible ones. */
export interface ShownRows<Row = SampleRow> {
  readonly total?: number
  readonly prepared?: SampleRows['prepared']
  readonly error?: string
  readonly version: number
  readonly row: (index: number) => Row | undefined
  readonly isLoaded: (index: number) => boolean
  readonly show: (start: number, end: number) => void
}

interface RowQuestion<Row> {
  readonly source: Source
  /** A text that changes with everything that the rows depend on. */
  readonly key: string
  /** The runs whose changes reload the rows. */
  readonly runs: readonly string[]
  /** The text that is searched for. */
  readonly q: string | undefined
  /** The number of rows that one request loads. */
  readonly perPage?: number
  readonly load: (offset: number, limit: number, signal: AbortSignal) => Promise<LoadedRows<Row>>
}

/** Loads the rows of a list. They are reloaded when a run changes, and while filters are being prepared. */
export function useLoadedRows<Row>({ source, key, runs, q, perPage, load }: RowQuestion<Row>): ShownRows<Row> {
  const [, setVersion] = useState(0)
  const pagesOfKey = useRef<{ key: string; pages: RowPages<Row> } | undefined>(undefined)
  if (pagesOfKey.current?.key !== key) {
    pagesOfKey.current?.pages.close()
    const pages: RowPages<Row> = new RowPages<Row>(
      load,
      () => {
        if (pagesOfKey.current?.pages === pages) setVersion(count => count + 1)
      },
      perPage,
    )
    pagesOfKey.current = { key, pages }
    pages.show(0, 1)
  }
  const { pages } = pagesOfKey.current
  useEffect(() => () => pagesOfKey.current?.pages.close(), [])
  useEffect(
    () =>
      source.watch(moved => {
        if (moved === undefined || runs.some(run => moved.includes(extractRunName(run))))
          pagesOfKey.current?.pages.refresh()
      }),
    [runs.join(' ')],
  )
  const isPreparing = pages.prepared !== undefined && !isPrepared({ q }, pages.prepared)
  useEffect(() => {
    if (!isPreparing) return undefined
    const timer = setInterval(() => pagesOfKey.current?.pages.refresh(), preparingMs)
    return () => clearInterval(timer)
  }, [isPreparing, key])
  const show = useCallback((start: number, end: number) => pagesOfKey.current?.pages.show(start, end), [key])
  const isLoaded = useCallback((index: number) => pagesOfKey.current?.pages.row(index) !== undefined, [])
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

/** Loads the samples that match a filter. */
export const useRowPages = (source: Source, run: string, filter: SampleFilter): ShownRows =>
  useLoadedRows({
    source,
    key: JSON.stringify([run, filter]),
    runs: [run],
    q: filter.q,
    load: (offset, limit, signal) => source.samples(run, { ...filter, offset, limit }, signal),
  })

/** Extracts `NAME` from `NAME@2`. */
const extractRunName = (run: string): string => run.replace(/@\d+$/, '')

/** Tells whether all samples are prepared for the filter. */
export const isPrepared = (
  { q }: { readonly q?: string | undefined },
  { of, filters, text }: SampleRows['prepared'],
): boolean => filters >= of && (q === undefined || text >= of)
