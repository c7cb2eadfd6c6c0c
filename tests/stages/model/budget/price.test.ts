import { describe, expect, it } from 'vitest'
import {
  batchPrice,
  computeCost,
  mergePrices,
  findPrice,
  pricedModel,
  type PriceTable,
} from '../../../../stages/model/budget/price.js'

const price = { input: 2, output: 8, cached: 0.5 }

describe('the cost of a request', () => {
  it('is the sum of input and output tokens times their prices', () => {
    expect(computeCost({ inputTokens: 1_000_000, outputTokens: 500_000 }, price)).toBe(2 + 4)
  })

  it('counts reasoning once, because it is part of the output', () => {
    const usage = { inputTokens: 0, outputTokens: 1_000_000, reasoningTokens: 900_000 }
    expect(computeCost(usage, price)).toBe(8)
  })

  it('subtracts cached tokens from the input', () => {
    const usage = { inputTokens: 1_000_000, cachedTokens: 600_000, outputTokens: 0 }
    expect(computeCost(usage, price)).toBeCloseTo(0.4 * 2 + 0.6 * 0.5)
  })

  it('uses the input price if cached tokens have no price', () => {
    const usage = { inputTokens: 1_000_000, cachedTokens: 600_000, outputTokens: 0 }
    expect(computeCost(usage, { input: 2, output: 8 })).toBe(2)
  })

  it('counts sound separately if it has its own price', () => {
    const usage = { inputTokens: 1_000_000, audioTokens: 500_000, outputTokens: 0 }
    expect(computeCost(usage, { ...price, audio: 40 })).toBe(1 + 20)
    expect(computeCost(usage, price)).toBe(2)
  })

  it('is higher for long inputs', () => {
    const long = { ...price, above: { tokens: 200_000, input: 4, output: 12 } }
    expect(computeCost({ inputTokens: 200_000, outputTokens: 0 }, long)).toBeCloseTo(0.4)
    expect(computeCost({ inputTokens: 200_001, outputTokens: 0 }, long)).toBeCloseTo(0.8, 4)
  })

  it('is reduced in a batch by the batch factor', () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 }
    expect(computeCost(usage, { ...price, batch: 0.5 }, { isBatch: true })).toBe(1)
    expect(computeCost(usage, price, { isBatch: true })).toBe(2)
  })

  it('in a batch equals that at the batch price', () => {
    const long = { ...price, audio: 40, batch: 0.5, above: { tokens: 10, input: 4, output: 12 } }
    for (const usage of [
      { inputTokens: 8, cachedTokens: 3, audioTokens: 2, outputTokens: 5 },
      { inputTokens: 80, cachedTokens: 3, outputTokens: 5 },
    ])
      expect(computeCost(usage, batchPrice(long))).toBeCloseTo(computeCost(usage, long, { isBatch: true }) ?? 0, 12)
  })

  it('is unknown without token counts', () => {
    expect(computeCost({ inputTokens: 10 }, price)).toBeUndefined()
    expect(computeCost({}, price)).toBeUndefined()
  })
})

describe('the price of a model', () => {
  const cost = (input: number) => ({ input, output: 0 })
  const table: PriceTable = {
    openai: { 'gpt-4o': cost(1), 'gpt-4o-2024-05-13': cost(2), 'gpt-*': cost(3), 'gpt-4o-a*': cost(4) },
    anthropic: { 'claude-sonnet-4-5': cost(5) },
    '*': { mine: cost(6) },
  }
  const input = (backend: string, model: string) => findPrice(table, { backend, model })?.input

  it('is found by exact name before a pattern, and by the longer pattern', () => {
    expect(input('openai', 'gpt-4o')).toBe(1)
    expect(input('openai', 'gpt-9')).toBe(3)
    expect(input('openai', 'gpt-4o-audio')).toBe(4)
  })

  it('of a snapshot is its own, or else that of the model', () => {
    expect(input('openai', 'gpt-4o-2024-05-13')).toBe(2)
    expect(findPrice({ openai: { o3: cost(9) } }, { backend: 'openai', model: 'o3-2025-04-16' })?.input).toBe(9)
    expect(input('anthropic', 'claude-sonnet-4-5-20250929')).toBe(5)
  })

  it('applies to all backends of the same models', () => {
    expect(input('azure_openai', 'gpt-4o')).toBe(1)
    expect(input('openai_responses', 'gpt-4o')).toBe(1)
    expect(input('openrouter', 'anthropic/claude-sonnet-4.5')).toBe(5)
    expect(input('litellm', 'openai/gpt-4o')).toBe(1)
  })

  it('is unknown if no source names it', () => {
    expect(input('openai', 'llama')).toBeUndefined()
    expect(input('vllm', 'gpt-4o')).toBeUndefined()
    expect(input('vllm', 'mine')).toBe(6)
  })

  it("in a user's table overrides the built-in one", () => {
    const merged = mergePrices(table, { openai: { 'gpt-4o': cost(7) } })
    expect(merged['openai']?.['gpt-4o']?.input).toBe(7)
    expect(merged['openai']?.['gpt-*']?.input).toBe(3)
  })

  it('is looked up by the model name in the arguments', () => {
    expect(pricedModel({ backend: 'openai', args: { model: 'gpt-4o' } })).toEqual({
      backend: 'openai',
      model: 'gpt-4o',
    })
    expect(pricedModel({ backend: 'azure_openai', args: { deployment: 'd' } }).model).toBe('d')
    expect(pricedModel({ backend: 'dummy', args: {} }).model).toBe('dummy')
  })
})
