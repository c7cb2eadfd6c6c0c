import { expect, test } from 'vitest'
import type { ScoreBody } from '../../../cache/records.js'
import { ruleChanges, scoreChanges, type PlacedScore } from '../../../stages/judge/changes.js'

const scoreAt = (index: number, value: number, rest: Partial<ScoreBody> = {}): PlacedScore => ({
  task: 0,
  index,
  body: { outcome: 'scored', values: { exact_match: value }, extracted: {}, ...rest },
})

test('the rules that changed are named by field and file', () => {
  const before = {
    config: { metric_list: [{ metric: 'exact_match' }], breakdown: 'type' },
    scorer: { files: { 'a.ts': '1', 'b.ts': '1', 'c.ts': '1' }, packages: { z: '1.0.0' } },
  }
  const after = {
    config: { metric_list: [{ metric: 'exact_match', ignore_case: true }], breakdown: ['type', 'n'] },
    scorer: { files: { 'a.ts': '2', 'b.ts': '1', 'd.ts': '1' }, packages: { z: '1.0.1' } },
  }
  expect(ruleChanges(before, after)).toEqual({
    config: [
      { path: 'metric_list[0].ignore_case', after: true },
      { path: 'breakdown', before: 'type', after: ['type', 'n'] },
    ],
    code: [
      { path: 'a.ts', change: 'changed' },
      { path: 'c.ts', change: 'removed' },
      { path: 'd.ts', change: 'added' },
      { path: 'z', change: 'changed' },
    ],
  })
  expect(ruleChanges(before, before)).toEqual({ config: [], code: [] })
})

test('the docs that moved are named, with the values before and after', async () => {
  const before = [scoreAt(0, 1), scoreAt(1, 0), scoreAt(2, 0), scoreAt(3, 1)]
  const after = [scoreAt(0, 0), scoreAt(1, 1), scoreAt(2, 1), scoreAt(3, 1)]
  expect(await scoreChanges(before, after)).toEqual({
    values: [{ task: 0, value: 'exact_match', docs: 4, before: 0.5, after: 0.75, up: [1, 2], down: [0] }],
    outcomes: [],
  })
})

test('docs that one judgement lacks, or judged otherwise, are told apart', async () => {
  const error: Partial<ScoreBody> = { outcome: 'error', values: {} }
  const before = [scoreAt(0, 1), scoreAt(2, 0, error)]
  const after = [scoreAt(1, 1), scoreAt(2, 1)]
  expect(await scoreChanges(before, after)).toEqual({
    values: [],
    outcomes: [
      { task: 0, index: 0, before: 'scored', after: 'none' },
      { task: 0, index: 1, before: 'none', after: 'scored' },
      { task: 0, index: 2, before: 'error', after: 'scored' },
    ],
  })
})
