import { expect, test } from 'vitest'
import { read, type Reading } from '../../../../stages/judge/define-filter.js'
import { stripReasoning } from '../../../../stages/judge/reasoning.js'
import { builtInJudges } from '../../../support/scorer.js'
import { goldenRows } from '../../../support/golden.js'
import { recordOf } from '../../../support/judged.js'

interface Row {
  readonly id: string
  readonly fn: string
  readonly input: { readonly resps: string[][]; readonly text: string }
  readonly params: { readonly pairs?: [string, string][] }
  readonly expected: { readonly out: (string | null | (string | null)[])[]; readonly text: string }
}

const rows = goldenRows<Row>('metrics/filters.jsonl')

test('filters make of each text what the reference makes of it; what it calls invalid is unparsed', () => {
  for (const { id, fn, input, params, expected } of rows.filter(row => row.fn.includes('.filter.'))) {
    const name = fn.split('.').at(-1)!
    const filter = builtInJudges.filters.get(name)!
    // The reference writes what it could not read as a text, or as null.
    const missing = name === 'map' ? null : '[invalid]'
    const shown = (reading: Reading): string | null =>
      reading.type === 'read' ? reading.text : (reading.standIn ?? missing)
    const out = input.resps.map(texts => {
      const readings = filter.apply(texts.map(read), filter.args.parse(params), recordOf(''))
      return name === 'take_first' ? (readings.map(shown)[0] ?? '') : readings.map(shown)
    })
    expect([id, out]).toEqual([id, expected.out])
  }
})

test('reasoning is cut out as the reference does', () => {
  for (const { id, input, params, expected } of rows.filter(row => row.fn.endsWith('strip_reasoning_tags'))) {
    expect([id, stripReasoning(input.text, params.pairs!)]).toEqual([id, expected.text])
  }
})
