import type { LeaderboardQuery, LeaderboardView } from '../../present/page/data/index.js'

/** Selects models and tasks of a report's leaderboard by a part of their names. */
export function selectLeaderboard(
  board: LeaderboardView,
  { task = '', model = '' }: LeaderboardQuery,
): LeaderboardView {
  const matches = (name: string, part: string): boolean => name.toLowerCase().includes(part.toLowerCase())
  const indices = board.models.flatMap(({ label }, index) => (matches(label, model) ? [index] : []))
  const choose = <Item>(items: readonly Item[]): readonly Item[] => items.filter((_, index) => indices.includes(index))
  return {
    ...board,
    models: choose(board.models),
    rows: board.rows.filter(row => matches(row.task, task)).map(row => ({ ...row, cells: choose(row.cells) })),
  }
}
