import { expect, test } from 'vitest'
import type { LeaderboardView } from '../../../src/present/page/data/index.js'
import { selectLeaderboard } from '../../../src/web/data/embedded-leaderboard.js'

const cell = (run: string, value: number) => ({ run, value, interval: null, n: 1, total: 1 })
const leaderboard: LeaderboardView = {
  format: 1,
  left_out: 0,
  tags: [],
  models: [
    { label: 'Large', name: 'Large', settings: {}, tags: [], runs: ['a@1'] },
    { label: 'small', name: 'small', settings: {}, tags: [], runs: ['b@1'] },
  ],
  rows: ['mme', 'pope'].map(task => ({
    ...{ task, metric: 'acc', is_group: false, higher_is_better: true },
    cells: [cell('a@1', 1), cell('b@1', 0)],
  })),
}

test('selects models and tasks of a report’s leaderboard by a part of their names', () => {
  expect(selectLeaderboard(leaderboard, {})).toEqual(leaderboard)
  expect(selectLeaderboard(leaderboard, { task: 'MM', model: 'large' })).toMatchObject({
    models: [{ label: 'Large' }],
    rows: [{ task: 'mme', cells: [{ run: 'a@1' }] }],
  })
})
