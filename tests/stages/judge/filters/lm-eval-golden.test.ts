import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../cache/records.js'
import { read, type Reading } from '../../../../stages/judge/define/define-filter.js'
import { goldenRows } from '../../../support/golden.js'
import { recordOf } from '../../../support/judged.js'
import { builtInJudges } from '../../../support/scorer.js'

interface Row {
  readonly pipeline: readonly (readonly [string, JsonObject])[]
  readonly text: string
  readonly choices: readonly string[]
  readonly expected: string
}

const rows = goldenRows<Row>('metrics/lm_eval_filters.jsonl')

function apply({ pipeline, text, choices }: Row): readonly Reading[] {
  return pipeline.reduce<readonly Reading[]>(
    (readings, [name, args]) => {
      const filter = builtInJudges.filters.get(name)!
      return filter.apply(readings, filter.args.parse(args), recordOf('', { doc: { choices: [...choices] } }))
    },
    [read(text)],
  )
}

test(`filters behind a regex without a match score the same text as lm-evaluation-harness (${rows.length} rows)`, () => {
  const shown = rows.map(row => {
    const [reading] = apply(row)
    return reading?.type === 'read' ? reading.text : (reading?.standIn ?? '[invalid]')
  })
  expect(rows.map((row, i) => [row.pipeline, row.text, shown[i]])).toEqual(
    rows.map(({ pipeline, text, expected }) => [pipeline, text, expected.replace(/^\[invalid\]$/i, '[invalid]')]),
  )
})

test('an answer without a match stays unparsed, whatever is scored in its place', () => {
  const unmatched = rows.filter(
    ({ pipeline, text }) => pipeline[0]?.[1]['fallback'] === undefined && text === 'perhaps',
  )
  expect(unmatched.map(row => apply(row)[0]?.type)).toEqual(unmatched.map(() => 'unparsed'))
})
