import { expect, test } from 'vitest'
import type { ScoreBody } from '../../../cache/records.js'
import { ruleChanges, scoreChanges } from '../../../stages/judge/changes.js'

const scored = (value: number): ScoreBody => ({ outcome: 'scored', values: { exact_match: value }, extracted: {} })

test('names changed rules by field and file', () => {
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

test('counts docs whose value changed, with the means before and after', () => {
  const changes = scoreChanges()
  for (const [before, after] of [
    [1, 0],
    [0, 1],
    [0, 1],
    [1, 1],
  ] as const)
    changes.add(0, scored(before), scored(after))
  expect(changes.finish()).toEqual([
    { task: 0, value: 'exact_match', docs: 4, before: 0.5, after: 0.75, up: 2, down: 1, lost: 0, gained: 0 },
  ])
})

test('counts a value that one judgement lacks as lost or new, and not as changed', () => {
  const changes = scoreChanges()
  const failed = { outcome: 'error', values: {}, extracted: {} } as const
  changes.add(0, failed, scored(1))
  changes.add(0, scored(1), failed)
  changes.add(0, scored(0), failed)
  changes.add(0, failed, failed)
  const none = { docs: 0, before: null, after: null, up: 0, down: 0 }
  expect(changes.finish()).toEqual([{ task: 0, value: 'exact_match', ...none, lost: 2, gained: 1 }])
  changes.add(0, scored(0), scored(1))
  changes.add(1, { ...scored(0), values: { exact_match: ['a'] } }, scored(1))
  expect(changes.finish()).toEqual([
    { task: 0, value: 'exact_match', docs: 1, before: 0, after: 1, up: 1, down: 0, lost: 2, gained: 1 },
    { task: 1, value: 'exact_match', ...none, lost: 0, gained: 1 },
  ])
})
