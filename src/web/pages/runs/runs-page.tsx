/** The list of runs: filter, sort, choose some to see side by side. */
import { useRef, useState, useEffect } from 'preact/hooks'
import type { PageProps } from '../../app.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import { go, formatHash, useQuery } from '../../routing/address.js'
import { useShortcuts } from '../../routing/keys.js'
import { docsHash } from '../docs/docs-address.js'
import { chooseRun, noneChosen, type RunChoice } from './choose-run.js'
import { ChosenRuns } from './chosen-runs.js'
import { parseRunFilter, RunFilters } from './run-filters.js'
import { RunTable } from './run-table.js'
import type { Source } from '../../data/source.js'
import { RunRows, type RunFilter } from './run-rows.js'

/** Lists the runs of the store. */
export function RunsPage({ source }: PageProps) {
  const [query, change] = useQuery()
  const { rows, reopen } = useRunRows(source, parseRunFilter(query))
  const [selected, setSelected] = useState(-1)
  const [{ names: chosen, left }, setChosen] = useState<RunChoice>(noneChosen)
  const search = useRef<HTMLInputElement>(null)
  const total = rows.total ?? 0
  const choose = (name: string | undefined): void => {
    if (name === undefined) return
    setChosen(before => chooseRun(before, name))
  }
  const compare = (): void => {
    const [a, b] = chosen
    if (a !== undefined && b !== undefined && chosen.length === 2) go(formatHash(['compare'], { a, b }))
  }
  const current = (): string | undefined => rows.rows.get(selected)?.name
  useShortcuts([
    {
      keys: ['j', 'ArrowDown'],
      does: 'next run',
      run: () => setSelected(index => Math.min(total - 1, index + 1)),
    },
    { keys: ['k', 'ArrowUp'], does: 'previous run', run: () => setSelected(index => Math.max(0, index - 1)) },
    {
      keys: ['Enter'],
      does: 'open the run',
      run: () => {
        const name = current()
        if (name !== undefined) go(formatHash(['runs', name]))
      },
    },
    { keys: ['x'], does: 'choose the run for a comparison', run: () => choose(current()) },
    { keys: ['c'], does: 'compare the two chosen runs', run: compare },
    {
      keys: ['d'],
      does: 'show the docs of the chosen runs side by side',
      run: () => {
        if (source.can.showDocs && chosen.length > 1) go(docsHash(chosen))
      },
    },
    { keys: ['/'], does: 'search runs', run: () => search.current?.focus() },
  ])
  const changeFilter = (changes: Parameters<typeof change>[0]): void => {
    setSelected(-1)
    change(changes)
  }
  const isFiltered = Object.keys(parseRunFilter(query)).length > 0
  return (
    <div class="runs-page">
      <div class="title-line">
        <h1>Runs</h1>
        <span class="dim" role="status">
          {rows.total === undefined ? '' : formatQuantity(rows.total, 'run')}
        </span>
        {rows.added > 0 && (
          <button type="button" onClick={reopen}>
            Show {formatQuantity(rows.added, 'new run')}
          </button>
        )}
      </div>
      <RunFilters query={query} change={changeFilter} known={[...rows.rows.values()]} search={search} />
      <ChosenRuns
        names={chosen}
        left={left}
        compare={compare}
        clear={() => setChosen(noneChosen)}
        hasDocs={source.can.showDocs}
      />
      {rows.error !== undefined && (
        <p class="problem" role="alert">
          {rows.error}
        </p>
      )}
      {rows.total === 0 ? (
        <p>
          {isFiltered
            ? 'No run matches the filter.'
            : 'This store holds no runs. Start one with "pipeline eval", or on the page "New run".'}
        </p>
      ) : (
        <RunTable
          rows={rows}
          selected={selected}
          select={setSelected}
          chosen={chosen}
          choose={choose}
          canTag={source.can.label}
        />
      )}
    </div>
  )
}

/** The rows of the list of runs under a filter, kept up to date. `reopen` shows runs that came since. */
function useRunRows(source: Source, filter: RunFilter): { readonly rows: RunRows; readonly reopen: () => void } {
  const [, redraw] = useState(0)
  const [round, setRound] = useState(0)
  const key = `${JSON.stringify(filter)} ${round}`
  const current = useRef<{ readonly key: string; readonly rows: RunRows } | undefined>(undefined)
  if (current.current?.key !== key) {
    current.current?.rows.close()
    current.current = { key, rows: new RunRows(source, filter, () => redraw(count => count + 1)) }
  }
  const { rows } = current.current
  useEffect(() => {
    void rows.show(0, 1)
    return () => rows.close()
  }, [rows])
  useEffect(() => source.watch(() => void current.current?.rows.refresh()), [source])
  return { rows, reopen: () => setRound(count => count + 1) }
}
