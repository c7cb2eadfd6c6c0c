import { expect, test } from 'vitest'
import { anls } from '../../../../stages/judge/metrics/anls.js'
import { contains, exactMatch } from '../../../../stages/judge/metrics/exact-match.js'
import { mathEqual } from '../../../../stages/judge/metrics/math-equal.js'
import { numericMatch, relaxedAccuracy } from '../../../../stages/judge/metrics/numeric-match.js'
import { optionLetter } from '../../../../stages/judge/metrics/option-letter.js'
import { boxAccuracy } from '../../../../stages/judge/metrics/places/boxes.js'
import { yesNo } from '../../../../stages/judge/metrics/yes-no.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import { goldenRows } from '../../../support/golden.js'
import { valueOf } from '../../../support/judged-value.js'

interface Row {
  readonly metric: string
  readonly target: Json
  readonly answer: string
  readonly choices?: readonly string[]
  readonly args?: object
  /** 1 or 0, or a share to ten places */
  readonly expected: number
}

const metrics = [anls, boxAccuracy, contains, exactMatch, mathEqual, numericMatch, optionLetter, relaxedAccuracy, yesNo]
const rows = goldenRows<Row>('metrics/answer_forms.jsonl.gz')

test.each(metrics.map(metric => [metric.id, metric] as const))(
  '%s finds right answers in the forms and languages that models write, and no wrong ones',
  (id, metric) => {
    const own = rows.filter(row => row.metric === id)
    const wrong = own.filter(({ answer, expected, ...given }) => round(valueOf(metric, answer, given)) !== expected)
    expect(wrong).toEqual([])
    expect(own.length).toBeGreaterThan(10)
  },
)

const round = (value: Json): Json => (typeof value === 'number' ? Number(value.toFixed(10)) : value)
