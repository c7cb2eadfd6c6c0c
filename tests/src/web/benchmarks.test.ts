import { expect, it } from 'vitest'
import type { TaskRow } from '../../../src/present/page/data/index.js'
import { groupByBenchmark, searchTasks } from '../../../src/web/pages/tasks/benchmarks.js'

const rows: readonly TaskRow[] = [
  { name: 'mmmu', kind: 'group', benchmark: 'mmmu', members: 2 },
  {
    name: 'mmmu_val',
    kind: 'task',
    benchmark: 'mmmu',
    modality: 'image',
    metrics: ['mmmu_acc'],
    source: 'lmms-lab/MMMU, all',
  },
  {
    name: 'mmmu_test',
    kind: 'task',
    benchmark: 'mmmu',
    modality: 'image',
    metrics: ['submission'],
    source: 'lmms-lab/MMMU',
  },
  { name: 'colours', kind: 'task', modality: 'text', metrics: ['exact_match'], source: './d.jsonl' },
]

it('groups names by benchmark, groups before tasks, and says what the tasks have in common', () => {
  expect(groupByBenchmark(rows)).toMatchObject([
    { name: 'colours', tasks: 1, rows: [{ name: 'colours' }] },
    {
      name: 'mmmu',
      tasks: 2,
      modality: 'image',
      metrics: 'mmmu_acc, submission',
      source: 'lmms-lab/MMMU',
      rows: [{ name: 'mmmu' }, { name: 'mmmu_val' }, { name: 'mmmu_test' }],
    },
  ])
})

it.each([
  [{ q: 'MMMU image', kind: '' }, ['mmmu_val', 'mmmu_test']],
  [{ q: 'exact_match', kind: '' }, ['colours']],
  [{ q: '  ', kind: 'group' }, ['mmmu']],
  [{ q: 'audio', kind: '' }, []],
])('finds by name, benchmark, modality, metric and dataset: %j', (search, names) => {
  expect(searchTasks(rows, search).map(({ name }) => name)).toEqual(names)
})
