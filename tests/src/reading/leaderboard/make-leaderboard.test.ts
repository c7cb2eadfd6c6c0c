import { expect, test } from 'vitest'
import { leaderboardJson } from '../../../../src/present/json/leaderboard-json.js'
import { makeLeaderboard } from '../../../../src/reading/leaderboard/read-leaderboard.js'
import { aggregate } from '../../../support/report-data.js'
import { reportedRun, scoredSample } from '../../../support/reported-runs.js'

/** A run of a model over docs of one task, of which the first `right` are right. */
function runOf(model: string, task: string, { right, docs = 40 }: { readonly right: number; readonly docs?: number }) {
  const samples = Array.from({ length: docs }, (_, index) => scoredSample(index, index < right ? 1 : 0))
  const aggregates = [aggregate({ task, metric: 'exact_match', value: right / docs, n: docs, total: docs })]
  const reported = reportedRun(`${model}-${task}-${docs}`, { aggregates, samples, tasks: [task] })
  const config = { ...reported.run.provenance.config, model_name: model }
  return { ...reported, run: { ...reported.run, provenance: { ...reported.run.provenance, config } } }
}

const labelModel = ({ provenance }: { readonly provenance: { readonly config: object } }): string =>
  String((provenance.config as { readonly model_name?: string }).model_name)

test('runs of one model are one column, and the best is marked only where the paired comparison shows it', async () => {
  const runs = [
    runOf('small', 'mme', { right: 10 }),
    runOf('large', 'mme', { right: 36 }),
    runOf('large', 'pope', { right: 21 }),
    runOf('small', 'pope', { right: 20 }),
  ]
  const board = leaderboardJson(await makeLeaderboard(runs, { labelModel }))
  expect(board.models).toEqual([
    { label: 'large', runs: ['large-mme-40@1', 'large-pope-40@1'] },
    { label: 'small', runs: ['small-mme-40@1', 'small-pope-40@1'] },
  ])
  expect(board.rows.map(({ task, cells }) => [task, ...cells.map(cell => cell && [cell.run, cell.mark])])).toEqual([
    ['mme', ['large-mme-40@1', 'best'], ['small-mme-40@1', undefined]],
    ['pope', ['large-pope-40@1', 'tied'], ['small-pope-40@1', 'tied']],
  ])
})

test('a newer try over few docs does not stand for a model', async () => {
  const runs = [runOf('a', 'mme', { right: 5, docs: 5 }), runOf('a', 'mme', { right: 20 })]
  const { rows } = leaderboardJson(await makeLeaderboard(runs, { labelModel }))
  expect(rows).toMatchObject([{ cells: [{ run: 'a-mme-40@1', n: 40 }] }])
})

test('runs of other settings are another column, and a part of a name selects tasks', async () => {
  const zero = runOf('a', 'mmmu_val', { right: 20 })
  const config = { ...zero.run.provenance.config, num_fewshot: 5 }
  const five = { ...zero, run: { ...zero.run, provenance: { ...zero.run.provenance, config } } }
  const { models, rows } = await makeLeaderboard([zero, five, runOf('a', 'pope', { right: 1 })], {
    task: 'MMMU',
    labelModel,
  })
  expect(models.map(({ label }) => label)).toEqual(['a', 'a (num_fewshot=5)'])
  expect(rows.map(({ first }) => first.task)).toEqual(['mmmu_val'])
})
