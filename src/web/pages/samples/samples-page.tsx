/** Shows the samples of a run as a list of up to a million rows, or as pictures. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Mark, SampleFilter, SampleRow, SampleRows } from '../../../present/page/data/index.js'
import { formatQuantity, formatCount } from '../../../../base/text/numbers.js'
import type { PageProps } from '../../app.js'
import { useLoaded } from '../../data/use-loaded.js'
import { visibleText } from '../../parts/safe-text.js'
import { SearchProvider } from '../../parts/hits.js'
import { mostPrintedRows, usePrintKey } from '../../parts/printing.js'
import { VirtualList } from '../../parts/scrolling/virtual-list.js'
import { go, formatHash } from '../../routing/address.js'
import { FilterBar } from './filter-bar.js'
import { chooseColumns, Header, rowHeight, RowCells } from './list-columns.js'
import { NoteDialog } from './note-dialog.js'
import { PictureGrid } from './picture-grid.js'
import { parseSampleFilter, makeQuery } from './filter-query.js'
import { sampleHash } from './sample-address.js'
import { StatusLine } from './status-line.js'
import { useCounts } from './use-counts.js'
import { useLabelling } from './use-labelling.js'
import { useListKeys } from './use-list-keys.js'
import { useNarrow } from './use-narrow.js'
import { useRowPages } from './use-row-pages.js'

/** The address follows the selection after this pause, in milliseconds, because browsers limit how often it may change. */
const addressRestMs = 300

/** Lists the samples of a run with filters and search. */
export function SamplesPage({ source, address }: PageProps) {
  const run = address.path[1] ?? ''
  const { query } = address
  const filter = parseSampleFilter(query)
  const key = JSON.stringify([run, filter])
  const view = query['view'] === 'grid' ? 'grid' : 'list'
  const pages = useRowPages(source, run, filter)
  // The filters of a large run take longer than its first rows, so the rows are loaded first.
  const hasRows = useRef(false)
  hasRows.current ||= pages.total !== undefined || pages.error !== undefined
  const { value: about, error: problem } = useLoaded(hasRows.current ? run : '', () =>
    hasRows.current ? source.run(run) : new Promise<never>(() => undefined),
  )
  const labelling = useLabelling()
  const counts = useCounts(source, run, filter, { shown: pages, stored: labelling.stored })
  const isNarrow = useNarrow()
  const [selected, setSelected] = useState(() => Number(query['at'] ?? 0))
  const [perPage, setPerPage] = useState(10)
  const [perLine, setPerLine] = useState(1)
  const [noted, setNoted] = useState<SampleRow>()
  const shownKey = useRef(key)
  const count = pages.total ?? 0

  useEffect(() => {
    if (shownKey.current === key) return
    shownKey.current = key
    setSelected(0)
  }, [key])
  useEffect(() => {
    const timer = setTimeout(() => {
      if (String(selected) !== (query['at'] ?? '0')) change(filter, { at: selected === 0 ? undefined : selected })
    }, addressRestMs)
    return () => clearTimeout(timer)
  }, [selected])

  const change = (next: SampleFilter, more: Readonly<Record<string, string | number | undefined>> = {}): void =>
    go(formatHash(['runs', run, 'samples'], { ...makeQuery(next), view: query['view'], ...more }), { replace: true })
  const open = (index: number): void => {
    const row = pages.row(index)
    if (row === undefined) return
    change(filter, { at: index === 0 ? undefined : index })
    go(sampleHash(run, row, filter, { at: index }))
  }
  const label = (mark: Mark['label']): void => {
    const row = pages.row(selected)
    if (row !== undefined && source.can.label) void labelling.add(run, row, mark)
  }
  usePrintKey({ count, load: pages.show, isLoaded: pages.isLoaded })
  useListKeys({
    count,
    selected,
    select: setSelected,
    perPage,
    perLine: view === 'grid' ? perLine : 1,
    open: () => open(selected),
    filter,
    change,
    ...(source.can.label && { label, note: () => setNoted(pages.row(selected)), undo: labelling.undo }),
  })
  const columns = chooseColumns(filter, source.can.label)
  const row = useCallback(
    (index: number) => (
      <RowCells {...{ source, run, filter, index, columns, isNarrow, row: labelling.labelled(pages.row(index)) }} />
    ),
    [key, pages.version, isNarrow, labelling.version],
  )
  const version = `${key} ${pages.version} ${isNarrow} ${labelling.version}`

  return (
    <div class="samples-page">
      <header class="samples-head">
        <h1>
          Samples of <a href={formatHash(['runs', run])}>{visibleText(run)}</a>
          {filter.against !== undefined && (
            <>
              {' against '}
              <a href={formatHash(['runs', filter.against])}>{visibleText(filter.against)}</a>
            </>
          )}
        </h1>
      </header>
      <FilterBar {...{ filter, counts, view, isNarrow, change }} {...(about !== undefined && { run: about })} />
      <StatusLine
        {...{ run, filter, selected, count, isLoading: pages.total === undefined, jump: setSelected }}
        {...(pages.prepared !== undefined && { prepared: pages.prepared })}
        problems={[problem, pages.error, labelling.error].filter(text => text !== undefined)}
      />
      {view === 'list' && count > mostPrintedRows && (
        <p class="print-only">
          The first {formatCount(mostPrintedRows)} of {formatQuantity(count, 'sample')} are printed.
        </p>
      )}
      <SearchProvider value={filter.q ?? ''}>
        <div class="samples-box">
          {count === 0 && pages.total !== undefined ? (
            <p class="none">
              {isPrepared(filter, pages.prepared)
                ? 'No sample of this run fits the filter.'
                : 'No sample fits the filter so far. The others are being prepared.'}
            </p>
          ) : view === 'grid' ? (
            <PictureGrid
              {...{ source, count, selected, open, version, run, filter }}
              row={index => labelling.labelled(pages.row(index))}
              onRange={pages.show}
              onSelect={setSelected}
              onLine={setPerLine}
            />
          ) : (
            <VirtualList
              label={`Samples of ${visibleText(run)}`}
              header={<Header columns={columns} />}
              rowHeight={rowHeight(isNarrow)}
              {...{ count, selected, row, version }}
              onRange={pages.show}
              onFit={setPerPage}
              onSelect={setSelected}
              onOpen={open}
            />
          )}
        </div>
      </SearchProvider>
      {noted !== undefined && (
        <NoteDialog
          of={noted}
          close={() => setNoted(undefined)}
          save={(mark, note) => labelling.add(run, noted, mark, note)}
        />
      )}
    </div>
  )
}

/** Tells whether the index has all samples that a filter and its search need. */
const isPrepared = ({ q }: SampleFilter, prepared: SampleRows['prepared'] | undefined): boolean =>
  prepared === undefined || (prepared.filters >= prepared.of && (q === undefined || prepared.text >= prepared.of))
