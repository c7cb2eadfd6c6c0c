/** Models and tasks: each model's score with its interval, the best of each row, and what may be as good. */
import type { LeaderboardView } from '../../../present/page/data/index.js'
import type { PageProps } from '../../app.js'
import { useLive } from '../../data/use-live.js'
import { formatHash, useQuery } from '../../routing/address.js'
import { LeaderboardFilters } from './leaderboard-filters.js'
import { ColumnChoice } from './column-choice.js'
import { arrangeColumns, listGroupKeys, parseHidden, type ArrangedColumns } from './columns.js'
import { LeaderboardTable } from './leaderboard-table.js'

/** Shows the models of all judged runs. */
export function LeaderboardPage({ source }: PageProps) {
  const [query, change] = useQuery()
  const { tag, task, model, metric } = query
  const hidden = parseHidden(query['without'])
  const { value: board, error } = useLive({
    source,
    key: JSON.stringify([tag, task, model]),
    load: () =>
      source.leaderboard({
        ...(tag !== undefined && { tag }),
        ...(task !== undefined && { task }),
        ...(model !== undefined && { model }),
      }),
    concerns: () => true,
  })
  const keys = listGroupKeys(board?.models ?? [])
  const by = keys.find(key => key === query['by']) ?? ''
  return (
    <article class="leaderboard-page">
      <h1>Leaderboard</h1>
      <p>
        <a href={formatHash(['steps'], { tag })}>Scores over steps</a> of a training run
      </p>
      <LeaderboardFilters query={query} change={change} tags={board?.tags ?? []} metrics={listMetrics(board)} />
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {board === undefined && error === undefined && <p class="dim">Comparing the models…</p>}
      {board !== undefined && board.models.length > 1 && (
        <ColumnChoice models={board.models} {...{ hidden, by, keys, change }} />
      )}
      {board !== undefined && (
        <Board
          board={chooseMetric(board, metric)}
          arranged={arrangeColumns(board.models, { hidden, by })}
          isFiltered={Object.keys(query).length > 0}
          canShowDocs={source.can.showDocs}
        />
      )}
    </article>
  )
}

interface BoardProps {
  readonly board: LeaderboardView
  readonly arranged: ArrangedColumns
  readonly isFiltered: boolean
  readonly canShowDocs: boolean
}

function Board({ board, arranged, isFiltered, canShowDocs }: BoardProps) {
  if (board.rows.length === 0)
    return (
      <p>
        {isFiltered ? 'No judged run fits the filter.' : 'No run is judged yet.'}{' '}
        <a href={formatHash(isFiltered ? ['leaderboard'] : ['runs'])}>{isFiltered ? 'Show all' : 'See the runs'}</a>
      </p>
    )
  return (
    <>
      <LeaderboardTable board={board} arranged={arranged} canShowDocs={canShowDocs} />
      {board.left_out > 0 && (
        <p role="note">
          {board.left_out} further models have only older runs and are left out. Filter by model, task or tag to see
          them.
        </p>
      )}
      <p class="dim small">
        Of several runs of a model, the one with most docs stands for it, then the newest. <b>★</b> is better than each
        other model by the paired comparison, which allows for all comparisons of the table; <b>≈</b> is the best score,
        or not shown to be worse than it. Intervals are 95 %. A score leads to its samples.
      </p>
    </>
  )
}

const listMetrics = (board: LeaderboardView | undefined): readonly string[] => [
  ...new Set((board?.rows ?? []).map(row => row.metric)),
]

function chooseMetric(board: LeaderboardView, metric: string | undefined): LeaderboardView {
  return metric === undefined ? board : { ...board, rows: board.rows.filter(row => row.metric === metric) }
}
