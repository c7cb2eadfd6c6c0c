/** Several runs side by side for each doc: rows are docs, columns are runs. */
import { useCallback, useRef, useState } from 'preact/hooks'
import type { DocsPage as DocsData } from '../../../present/page/data/index.js'
import { formatCount, formatQuantity } from '../../../../base/text/numbers.js'
import type { PageProps } from '../../app.js'
import { SearchProvider } from '../../parts/hits.js'
import { usePrintKey } from '../../parts/printing.js'
import { visibleText } from '../../parts/safe-text.js'
import { VirtualList } from '../../parts/scrolling/virtual-list.js'
import { go, formatHash, useQuery } from '../../routing/address.js'
import { useShortcuts } from '../../routing/keys.js'
import { sampleHash } from '../samples/sample-address.js'
import { useLoadedRows } from '../samples/use-row-pages.js'
import { useNarrow } from '../samples/use-narrow.js'
import { parseDocsChoice } from './docs-address.js'
import { DocFilters } from './doc-filters.js'
import { DocCells, DocsHeader, docRowHeight, searchFilter } from './doc-cells.js'

/** Shows the docs of the runs that the address names. */
export function DocsPage({ source }: PageProps) {
  const [query, change] = useQuery()
  const choice = parseDocsChoice(query)
  const { runs } = choice
  const key = JSON.stringify(choice)
  const [data, setData] = useState<DocsData>()
  const pages = useLoadedRows({
    source,
    key,
    runs,
    q: choice.q,
    perPage: docsPerPage,
    load: async (offset, limit, signal) => {
      if (runs.length === 0) throw new Error('The address names no run. Choose runs in the list of runs.')
      const page = await source.docs({ ...choice, offset, limit }, signal)
      setData(page)
      return page
    },
  })
  const isNarrow = useNarrow()
  const [selection, setSelection] = useState({ key, index: 0 })
  const selected = selection.key === key ? selection.index : 0
  const select = (index: number): void => setSelection({ key, index })
  const perPage = useRef(5)
  const count = pages.total ?? 0
  usePrintKey({ count, load: pages.show, isLoaded: pages.isLoaded })
  const by = (step: number) => () => select(Math.max(0, Math.min(count - 1, selected + step)))
  const open = (index: number): void => {
    const at = pages.row(index)?.cells.findIndex(cell => cell !== null) ?? -1
    const cell = pages.row(index)?.cells[at]
    if (cell !== undefined && cell !== null) go(sampleHash(runs[at] ?? '', cell, searchFilter(choice.q)))
  }
  useShortcuts([
    { keys: ['j', 'ArrowDown'], does: 'next doc', run: by(1) },
    { keys: ['k', 'ArrowUp'], does: 'previous doc', run: by(-1) },
    { keys: ['PageDown'], does: 'one page down', run: () => by(perPage.current)() },
    { keys: ['PageUp'], does: 'one page up', run: () => by(-perPage.current)() },
    { keys: ['Home'], does: 'first doc', run: () => select(0) },
    { keys: ['End'], does: 'last doc', run: () => select(Math.max(0, count - 1)) },
    { keys: ['Enter', 'o'], does: 'open the doc in the first run', run: () => open(selected) },
    { keys: ['/'], does: 'search', run: () => document.getElementById('doc-search')?.focus() },
  ])
  const columns = data?.runs ?? []
  const hasTasks = choice.task === undefined && (data?.tasks.length ?? 0) > 1
  const row = useCallback(
    (index: number) => <DocCells {...{ source, runs: columns, isNarrow, hasTasks, row: pages.row(index) }} />,
    [key, pages.version, isNarrow],
  )
  const { prepared } = pages
  return (
    <div class="samples-page docs-page">
      <header class="samples-head">
        <h1>
          Docs × runs <span class="dim">{formatQuantity(runs.length, 'run')}</span>
        </h1>
      </header>
      <DocFilters choice={choice} data={data} change={change} />
      <div class="status-line">
        <span role="status" aria-live="polite">
          {pages.total === undefined
            ? pages.error === undefined
              ? 'Docs are being read…'
              : ''
            : formatQuantity(count, 'doc')}
        </span>
        {prepared !== undefined && prepared.filters < prepared.of && (
          <span class="preparing">
            {formatCount(prepared.filters)} of {formatCount(prepared.of)} samples are prepared.
          </span>
        )}
        {runs.length === 2 && <a href={formatHash(['compare'], { a: runs[0], b: runs[1] })}>Compare the two runs</a>}
        {pages.error !== undefined && (
          <span class="problem" role="alert">
            {visibleText(pages.error)}
          </span>
        )}
      </div>
      <SearchProvider value={choice.q ?? ''}>
        <div class="samples-box">
          {count === 0 ? (
            <p class="none">
              {pages.total === undefined
                ? ''
                : prepared !== undefined && prepared.filters < prepared.of
                  ? 'No doc fits the filter so far. Further samples are being prepared.'
                  : 'No doc of these runs fits the filter.'}
            </p>
          ) : (
            <div class="docs-scroll" tabIndex={0} role="region" aria-label="Docs and runs">
              <div class="docs-width" style={isNarrow ? {} : { minWidth: `${columnsWidth(columns.length)}px` }}>
                <VirtualList
                  label="Docs of several runs"
                  header={isNarrow ? undefined : <DocsHeader runs={columns} />}
                  rowHeight={docRowHeight(isNarrow, columns.length)}
                  {...{ count, selected, row }}
                  version={`${key} ${pages.version} ${isNarrow}`}
                  onRange={pages.show}
                  onFit={rows => (perPage.current = rows)}
                  onSelect={select}
                  onOpen={open}
                />
              </div>
            </div>
          )}
        </div>
      </SearchProvider>
    </div>
  )
}

/** A row has a sample of each run, so that few rows are much to read. */
const docsPerPage = 25
const docWidth = 320
const runWidth = 190

const columnsWidth = (runs: number): number => docWidth + runs * runWidth
