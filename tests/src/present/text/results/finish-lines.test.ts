import { expect, test } from 'vitest'
import { finishLine, hints, nextLines } from '../../../../../src/present/text/results/finish-lines.js'
import { plain } from '../../../../../src/present/text/layout/paint.js'
import { rescoringLines } from '../../../../../src/present/text/comparing/rescoring.js'
import { missLines } from '../../../../../src/present/text/comparing/why-miss.js'
import { dateTime } from '../../../../../base/text/numbers.js'
import { counts, someRun } from '../../../../support/report-data.js'

const outcome = (asked: number, fromStore: number) => ({
  run: someRun,
  isNew: true,
  counts: counts(),
  elapsedMs: 11_000,
  asked,
  fromStore,
  failures: [],
  unjudged: 0,
})

test('the last line contains the duration, the rate and the store', () => {
  expect(finishLine(outcome(1060, 0), '.pipeline/runs/x')).toBe('11 s · 96.4 items/s · results in .pipeline/runs/x')
  expect(finishLine(outcome(0, 1000), undefined)).toBe('11 s · 0 asked · 1,000 from store')
  expect(finishLine({ ...outcome(0, 0), unanswered: 80 }, undefined)).toBe('11 s · 80 asked, none answered')
})

test('a hint names only what exists', () => {
  const facts = { run: 'x', storeFlag: '', look: 'wrong', canCompare: false } as const
  expect(hints(facts)).toEqual(['pipeline report x --samples wrong'])
  expect(hints({ ...facts, canCompare: true })[1]).toBe('pipeline compare last~1 last')
  expect(hints({ ...facts, variant: 'pipeline eval' })[1]).toBe('pipeline eval    then    pipeline compare last~1 last')
  expect(hints({ ...facts, storeFlag: ' --store s', canCompare: true })).toEqual([
    'pipeline report x --samples wrong --store s',
    'pipeline compare last~1 last --store s',
  ])
  expect(nextLines(['a', 'b'], plain)).toEqual(['next:  a', '       b'])
})

test('rescoring prints the reason, the changes and how to see them', () => {
  const changes = {
    before: { number: 1, createdAt: 0 },
    reasons: ['tasks/mmmu/utils.ts'],
    rescored: 900,
    moved: [
      { task: 'mmmu', metric: 'acc', filter: 'none', before: 0.441, after: 0.452, up: 12, down: 2, lost: 0, gained: 0 },
    ],
  }
  expect(rescoringLines(changes, { run: 'x', storeFlag: '', elapsedMs: 200, asked: 0 }, plain)).toEqual([
    `scorer changed since ${dateTime(0)} (tasks/mmmu/utils.ts): 900 docs rescored in 0.2 s, 0 asked of the model`,
    '  task   metric   before → after   docs',
    '  mmmu   acc      0.441 → 0.452    12↑ 2↓',
    '  see them:  pipeline compare x@1 x',
  ])
})

test('rescoring names docs that lost their score, and those that have one for the first time', () => {
  const move = { task: 'g', metric: 'grade', filter: 'none', up: 0, down: 0 }
  const changes = {
    before: { number: 1, createdAt: 0 },
    reasons: [],
    rescored: 6,
    moved: [
      { ...move, before: null, after: null, lost: 6, gained: 0 },
      { ...move, metric: 'likes', before: 0.5, after: 0.5, lost: 1, gained: 2 },
    ],
  }
  expect(rescoringLines(changes, { run: 'x', storeFlag: '', elapsedMs: 200, asked: 0 }, plain).slice(1, -1)).toEqual([
    '  task   metric   before → after   docs',
    '  g      grade    – → –            0↑ 0↓ 6 lost',
    '  g      likes    0.500 → 0.500    0↑ 0↓ 1 lost 2 new',
    '  g: 6 docs lost their score of grade, and none has one now',
    '  g: 1 doc lost its score of likes',
  ])
})

test.each([
  [3, '(f1.ts, f2.ts, f3.ts)'],
  [4, '(f1.ts, f2.ts, f3.ts, and 1 more)'],
  [1203, '(f1.ts, f2.ts, f3.ts, and 1,200 more)'],
])('of %i reasons for rescoring, names the first three', (count, named) => {
  const reasons = Array.from({ length: count }, (_, i) => `f${i + 1}.ts`)
  const changes = { before: { number: 1, createdAt: 0 }, reasons, rescored: 1, moved: [] }
  expect(rescoringLines(changes, { run: 'x', storeFlag: '', elapsedMs: 200, asked: 0 }, plain)[0]).toContain(
    ` ${named}: 1 doc rescored`,
  )
})

test('says why a request was sent again, and which option reuses the old answer', () => {
  const reason = {
    path: 'config.generation.max_new_tokens',
    before: 1024,
    after: 2048,
    requests: 900,
    example: 'mmmu/1',
    isUniform: true,
  }
  expect(missLines({ shared: 900, differing: 900, reasons: [reason] }, plain)).toEqual([
    '900 of 900 requests differ, all in one place:',
    '  field                              first → second',
    '  config.generation.max_new_tokens   1024 → 2048',
    'To reuse the old answers give --gen-kwargs max_new_tokens=1024',
    expect.stringMatching(/^This compares requests .*does not compare targets/) as string,
  ])
  expect(missLines({ shared: 9, differing: 0, reasons: [] }, plain)[0]).toContain('0 of 9 requests differ')
})
