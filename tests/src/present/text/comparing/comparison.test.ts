import { expect, test } from 'vitest'
import { comparison } from '../../../../../src/present/text/comparing/comparison.js'
import type { ComparedMetric } from '../../../../../src/reading/comparing/compare-metrics.js'
import { plain, shownText } from '../../../../../src/present/text/layout/paint.js'

const compared = (changes: Partial<ComparedMetric>): ComparedMetric => ({
  task: 'chartqa',
  metric: 'accuracy',
  higherIsBetter: true,
  n: 2500,
  a: 0.812,
  b: 0.829,
  difference: 0.0168,
  interval: [0.0032, 0.0309],
  mcnemar: 0.0004,
  p: 0.0004,
  improved: ['7', '12'],
  worsened: ['3'],
  verdict: 'better',
  onlyOne: 0,
  isClustered: false,
  ...changes,
})

test('prints a line per task with its verdict, then the flipped docs', () => {
  const undecided = compared({
    task: 'mmmu',
    n: 900,
    verdict: 'undecided',
    docsToDecide: 6804,
    moreDocs: 5904,
    improved: [],
    p: 0.4,
    mcnemar: 0.4,
  })
  const lines = comparison([compared({}), undecided], { a: 'base', b: 'tuned' }, plain)
  expect(`\n${lines.join('\n')}\n`).toBe(`
task      metric         n    base   tuned        Δ   95 % CI                p   flips   verdict
chartqa   accuracy   2,500   0.812   0.829   +0.017   +0.003 … +0.031   0.0004   2↑ 1↓   better
mmmu      accuracy     900   0.812   0.829   +0.017   +0.003 … +0.031   0.4000   0↑ 1↓   undecided: about 5,904 more docs would decide with a power of 80 %

paired by task and doc, p of the score test (McNemar) where scores are 0 or 1, adjusted for 2 comparisons (Holm)

chartqa accuracy
  ↑ 7, 12
  ↓ 3
mmmu accuracy
  ↓ 3
`)
})

test('a doc id with line breaks stays within its line', () => {
  const lines = comparison(
    [compared({ improved: ['first\r\n  second', '\u001b[31mred'], worsened: [] })],
    { a: 'a', b: 'b' },
    plain,
  )
  expect(shownText(lines.at(-1) ?? '')).toBe('  ↑ first second, red')
})

test('reports that nothing differs, and names docs that only one run has', () => {
  const same = compared({ improved: [], worsened: [], difference: 0, verdict: 'same', onlyOne: 4 })
  const lines = comparison([same], { a: 'a', b: 'b' }, plain)
  expect(lines[1]).toContain('–       no doc differs')
  expect(lines.at(-1)).toBe('4 docs scored in one run only, left out')
})

test('the table shows the decisive p: clustered if docs share pictures, with the exact one at the flips', () => {
  const lines = comparison([compared({ isClustered: true, p: 0.01 })], { a: 'a', b: 'b' }, plain)
  expect(lines[1]).toContain('0.0100')
  expect(lines).toContain(
    'paired by task and doc, interval clustered by cluster_key, medium or shared answer, p of the score test (McNemar) where scores are 0 or 1',
  )
  expect(lines).toContain("chartqa accuracy   (McNemar's exact test, without clusters: p 0.0004)")
})
