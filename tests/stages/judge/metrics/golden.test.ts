import { expect, test } from 'vitest'
import { exactMatch } from '../../../../stages/judge/metrics/exact-match.js'
import { goldenRows } from '../../../support/golden.js'
import { recordOf } from '../../../support/judged.js'

interface Row {
  readonly id: string
  readonly fn: string
  readonly input: {
    readonly predictions: [string]
    readonly references: string[]
  }
  readonly params: object
  readonly expected: Readonly<Record<string, number>>
}

test('exact_match equals the reference with all its options', () => {
  for (const { id, input, params, expected } of goldenRows<Row>('metrics/exact_match.jsonl')) {
    const args = exactMatch.args.parse({ strip: false, ...params })
    const [text] = input.predictions
    const got = exactMatch.judge({ text, references: input.references, record: recordOf(''), bodies: [] }, args)
    expect([id, got]).toEqual([id, { type: 'scored', value: expected['exact_match'] }])
  }
})
