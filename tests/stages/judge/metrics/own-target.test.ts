import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { stripWhiteSpace } from '../../../../base/python/white-space.js'
import type { MetricDefinition } from '../../../../stages/judge/define/define-metric.js'
import { anls } from '../../../../stages/judge/metrics/anls.js'
import { contains, exactMatch } from '../../../../stages/judge/metrics/exact-match.js'
import { mathEqual } from '../../../../stages/judge/metrics/math-equal.js'
import { numericMatch, relaxedAccuracy } from '../../../../stages/judge/metrics/numeric-match.js'
import { optionLetter } from '../../../../stages/judge/metrics/option-letter.js'
import { rouge } from '../../../../stages/judge/metrics/rouge.js'
import { vqaAccuracy } from '../../../../stages/judge/metrics/vqa-accuracy.js'
import { yesNo } from '../../../../stages/judge/metrics/yes-no.js'
import { goldenRows } from '../../../support/golden.js'
import { valueOf } from '../../../support/judged-value.js'

const root = new URL('../../../../', import.meta.url)
const fields = new Set([
  'target',
  'targets',
  'reference',
  'references',
  'answer',
  'answers',
  'gold',
  'label',
  'solution',
])

/** All texts below fields that hold targets. */
function targetsIn(value: unknown, isTarget = false): readonly string[] {
  if (typeof value === 'string') return isTarget ? [value] : []
  if (Array.isArray(value)) return value.flatMap(one => targetsIn(one, isTarget))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => targetsIn(one, fields.has(name)))
}

/** Golden files whose texts are transcripts, corpora or input of tokenizers. */
const noTargets = /tokeniz|ptb|whisper|sacrebleu|lmms_asr|transcripts|jiwer|edit_distance/
const golden = readdirSync(new URL('tests/golden/metrics', root)).filter(
  name => /\.jsonl/.test(name) && !noTargets.test(name),
)
const madeUp: unknown = JSON.parse(readFileSync(new URL('examples/made-up-docs.json', root), 'utf8'))
const targets = [
  ...new Set([...targetsIn(madeUp), ...golden.flatMap(name => targetsIn(goldenRows<unknown>(`metrics/${name}`)))]),
].filter(target => stripWhiteSpace(target) !== '')

const isNumber = (target: string): boolean => {
  try {
    valueOf(numericMatch, '', { target })
    return true
  } catch {
    return false
  }
}

/** Metrics with the targets that they take, and arguments. rouge-score's tokens are a-z and 0-9, so it takes no other text. */
const cases: readonly (readonly [metric: MetricDefinition, takes: (target: string) => boolean, args?: object])[] = [
  [exactMatch, () => true],
  [contains, () => true],
  [mathEqual, () => true],
  [numericMatch, isNumber],
  [relaxedAccuracy, () => true],
  [relaxedAccuracy, () => true, { tolerance: 0 }],
  [anls, () => true],
  [rouge, target => /[a-z0-9]/i.test(target.normalize('NFD')) && /[a-zA-Z0-9]/.test(target)],
  [yesNo, target => /^(?:yes|no|true|false)$/i.test(target)],
  [optionLetter, target => /^[A-D]$/.test(target)],
]

test.each(cases.map(([metric, ...rest]) => [metric.id, metric, ...rest] as const))(
  'a target as its own answer gets the full score: %s',
  (_, metric, takes, args = {}) => {
    const own = targets.filter(takes)
    expect(
      own.filter(
        target => valueOf(metric, target, { target, args: metric === optionLetter ? { options: 4 } : args }) !== 1,
      ),
    ).toEqual([])
    expect(own.length).toBeGreaterThan(1)
  },
)

test('a target that all annotators gave gets the full score', () => {
  const wrong = targets.filter(
    target => valueOf(vqaAccuracy, target, { target: Array.from({ length: 10 }, () => target) }) !== 1,
  )
  expect(wrong).toEqual([])
})

test('a formula equals itself in a box', () => {
  const formulas = goldenRows<{ target: string }>('metrics/math_verify.jsonl.gz').map(({ target }) => target)
  const own = [...new Set(formulas)].filter(target => !target.includes('boxed'))
  expect(own.filter(target => valueOf(mathEqual, `\\boxed{${target}}`, { target }) !== 1)).toEqual([])
  expect(own.length).toBeGreaterThan(300)
})
