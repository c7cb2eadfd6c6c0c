import { expect, test } from 'vitest'
import { csvMatrix } from '../../../../src/present/files/csv.js'
import { latexMatrix } from '../../../../src/present/files/latex.js'
import { columnsByModel } from '../../../../src/present/files/table-columns.js'
import { leaderboardJson } from '../../../../src/present/json/leaderboard-json.js'
import { makeLeaderboard } from '../../../../src/reading/leaderboard/read-leaderboard.js'
import { aggregate } from '../../../support/report-data.js'
import { reportedRun, scoredSample, textOf } from '../../../support/reported-runs.js'

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

test('runs of one model are one column, and the best is marked only if the paired comparison shows it', async () => {
  const runs = [
    runOf('small', 'mme', { right: 10 }),
    runOf('large', 'mme', { right: 36 }),
    runOf('large', 'pope', { right: 21 }),
    runOf('small', 'pope', { right: 20 }),
  ]
  const board = leaderboardJson(await makeLeaderboard(runs, { labelModel }))
  expect(board.models).toEqual([
    { label: 'large', name: 'large', settings: {}, tags: [], runs: ['large-mme-40@1', 'large-pope-40@1'] },
    { label: 'small', name: 'small', settings: {}, tags: [], runs: ['small-mme-40@1', 'small-pope-40@1'] },
  ])
  expect(board.rows.map(({ task, cells }) => [task, ...cells.map(cell => cell && [cell.run, cell.mark])])).toEqual([
    ['mme', ['large-mme-40@1', 'best'], ['small-mme-40@1', undefined]],
    ['pope', ['large-pope-40@1', 'tied'], ['small-pope-40@1', 'tied']],
  ])
})

test('prefers an older run over all docs to a newer one over few docs', async () => {
  const runs = [runOf('a', 'mme', { right: 5, docs: 5 }), runOf('a', 'mme', { right: 20 })]
  const { rows } = leaderboardJson(await makeLeaderboard(runs, { labelModel }))
  expect(rows).toMatchObject([{ cells: [{ run: 'a-mme-40@1', n: 40 }] }])
})

test('runs with other settings are another column, and a part of a name selects tasks', async () => {
  const zero = runOf('a', 'mmmu_val', { right: 20 })
  const config = { ...zero.run.provenance.config, num_fewshot: 5 }
  const five = { ...zero, run: { ...zero.run, provenance: { ...zero.run.provenance, config } } }
  const { models, rows } = await makeLeaderboard([zero, five, runOf('a', 'pope', { right: 1 })], {
    task: 'MMMU',
    labelModel,
  })
  expect(models.map(({ label }) => label)).toEqual(['a', 'a (num_fewshot=5)'])
  expect(models.map(({ name, settings }) => [name, settings])).toEqual([
    ['a', {}],
    ['a', { num_fewshot: '5' }],
  ])
  expect(rows.map(({ first }) => first.task)).toEqual(['mmmu_val'])
})

test('CSV has a row for each model and metric, and LaTeX a column for each model, with the same marks', async () => {
  const runs = [
    runOf('small, new', 'mme', { right: 10 }),
    runOf('large', 'mme', { right: 36 }),
    runOf('large', 'pope', { right: 21 }),
    runOf('small, new', 'pope', { right: 20 }),
  ]
  const board = await makeLeaderboard(runs, { labelModel })
  const [head, ...rows] = (await textOf(csvMatrix(board))).trim().split('\r\n')
  expect(head?.split(',').slice(0, 6)).toEqual(['task', 'kind', 'metric', 'filter', 'model', 'value'])
  expect(rows.map(row => [row.split(',')[0], /large|"small, new"/.exec(row)?.[0], /best|tied/.exec(row)?.[0]])).toEqual(
    [
      ['mme', 'large', 'best'],
      ['mme', '"small, new"', undefined],
      ['pope', 'large', 'tied'],
      ['pope', '"small, new"', 'tied'],
    ],
  )
  const latex = await textOf(latexMatrix(columnsByModel(board)))
  expect(latex).toContain('Task & Metric & large & small, new')
  expect(latex).toContain('\\mathbf{0.900}')
  expect(latex).toContain('\\mathit{0.525}')
})
