import { expect, test } from 'vitest'
import { sumCosts } from '../../../cache/facts/sample-cost.js'

const price = { input: 1, output: 10, batch: 0.5, above: { tokens: 1000, input: 2, output: 20 } }
const used = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } })

test('prices each answer by its own tokens, and batches by the batch price', () => {
  expect(sumCosts([used(100, 10), used(2000, 10)], price)).toBeCloseTo((100 + 100 + 4000 + 200) / 1e6, 12)
  expect(sumCosts([{ ...used(100, 10), batch: true }], price)).toBeCloseTo(100 / 1e6, 12)
})

test('a cost is unknown without a price, an answer, or the tokens of each answer', () => {
  expect(sumCosts([used(100, 10)], undefined)).toBeUndefined()
  expect(sumCosts([], price)).toBeUndefined()
  expect(sumCosts([used(100, 10), { usage: { outputTokens: 3 } }], price)).toBeUndefined()
})
