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
  const held = useRef<{ key: string; pages: RowPages<Row> } | undefined>(undefined)
  if (held.current?.key !== key) {
    held.current?.pages.close()
    const pages: RowPages<Row> = new RowPages<Row>(
      load,
      () => {
        if (held.current?.pages === pages) setVersion(count => count + 1)
      },
      perPage,
    )
    held.current = { key, pages }
    pages.show(0, 1)
  }
  const { pages } = held.current
  useEffect(() => () => held.current?.pages.close(), [])
  useEffect(
    () =>
      source.watch(moved => {
        if (moved === undefined || runs.some(run => moved.includes(extractRunName(run)))) held.current?.pages.refresh()
      }),
    [runs.join(' ')],
  )
  const isPreparing = pages.prepared !== undefined && !isPrepared({ q }, pages.prepared)
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
