import { expect, test } from 'vitest'
import { columnsByRun } from '../../../../src/present/files/table-columns.js'
import { runsTable } from '../../../../src/present/files/runs-table.js'
import { paintFor, plain } from '../../../../src/present/text/layout/paint.js'
import { displayWidth } from '../../../../src/present/text/layout/width.js'
import { aggregate } from '../../../support/report-data.js'
import { reportedRun, scoredSample } from '../../../support/reported-runs.js'

const scored = (name: string, right: number) =>
  reportedRun(name, {
    aggregates: [aggregate({ value: right / 40, interval: [right / 40 - 0.1, right / 40 + 0.08] })],
    samples: Array.from({ length: 40 }, (_, index) => scoredSample(index, +(index < right))),
  })
const [low, high, near] = [scored('low', 10), scored('high', 30), scored('near', 29)]
const other = reportedRun('other', {
  aggregates: [aggregate({ task: 'mmmu_val', n: 4, total: 5 })],
  tasks: ['mmmu_val'],
})

test('several runs are columns, and a score is marked only if the difference is significant', async () => {
  const text = (await runsTable(columnsByRun([low, high, other]), plain)).join('\n')
  expect(text).toMatch(/^low@1 +\S.*\nhigh@1 +\S.*\nother@1 +\S/)
  expect(text).toMatch(/task +metric +low@1 +high@1 +other@1\n/)
  expect(text).toMatch(/shapes_vqa +exact_match +0\.250 \(0\.150 – 0\.330\) +0\.750\* \(0\.650 – 0\.830\) +–\n/)
  expect(text).toMatch(/mmmu_val +exact_match +– +– +0\.905 \(0\.885 – 0\.922\), 80 % of docs\n/)
  expect(text).toContain('* is better')
  expect((await runsTable(columnsByRun([low, high, near]), plain)).join('\n')).not.toContain('*')
})

test('the table fits a narrow screen with all of its numbers', async () => {
  const lines = await runsTable(
    columnsByRun([low, high, near]),
    paintFor(false, () => 80),
  )
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(80)
  for (const score of ['0.250', '0.750', '0.725']) expect(lines.join('\n')).toContain(score)
})
