import { describe, expect, test } from 'vitest'
import { formatStopCondition, parseStopCondition } from '../../../../src/config/values/stop-when.js'

describe('parseStopCondition', () => {
  test('reads each condition, with a metric before it, and writes it back', () => {
    const texts = [
      'half-width < 0.02',
      'exact_match,strict half-width < 0.5',
      'decided vs a-b-1@2',
      'acc decided vs last',
    ]
    expect(texts.map(parseStopCondition)).toEqual([
      { type: 'half-width', below: 0.02 },
      { metric: 'exact_match,strict', type: 'half-width', below: 0.5 },
      { type: 'decided', run: 'a-b-1@2' },
      { metric: 'acc', type: 'decided', run: 'last' },
    ])
    expect(texts.map(text => formatStopCondition(parseStopCondition(text)))).toEqual(texts)
  })

  test('names the possible forms if it cannot read a text', () => {
    for (const text of ['half-width', 'half-width < 0', 'half-width > 0.1', 'decided', 'acc'])
      expect(() => parseStopCondition(text)).toThrow(/expected "half-width < 0.02" or "decided vs RUN"/)
  })
})
