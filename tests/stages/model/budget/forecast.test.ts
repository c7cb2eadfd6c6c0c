import { describe, expect, it } from 'vitest'
import type { Input, ResponseMeta } from '../../../../cache/records.js'
import { estimateInput, mostOutput } from '../../../../stages/model/budget/estimate.js'
import { Forecaster } from '../../../../stages/model/budget/forecast.js'

const input = (text: string, media: readonly ('image' | 'video')[] = []): Input => ({
  type: 'generate_until',
  messages: [
    {
      role: 'user',
      content: [...media.map(type => ({ type, media: 'sha256:0' as const as never })), { type: 'text' as const, text }],
    },
  ],
})
const meta = (inputTokens: number, outputTokens: number, more: Partial<ResponseMeta> = {}): ResponseMeta => ({
  usage: { inputTokens, outputTokens },
  durationMs: 100,
  attempts: 1,
  answeredAt: 0,
  ...more,
})
const text = 'a'.repeat(400)

describe('the tokens of an input', () => {
  it('are estimated from the bytes of its text', () => {
    expect(estimateInput(input(text))).toEqual({ low: 80, likely: 104, high: 142 })
    expect(estimateInput(input('')).likely).toBe(4)
  })

  it('are more with media', () => {
    expect(estimateInput(input(text, ['image'])).likely).toBeGreaterThan(estimateInput(input(text)).likely + 500)
  })

  it('include pictures of a known size', () => {
    expect(estimateInput(input('', ['image', 'video']), ({ type }) => (type === 'image' ? 765 : undefined))).toEqual({
      low: 765 + 500,
      likely: 765 + 8_000 + 4,
      high: 765 + 100_000 + 8,
    })
    const forecaster = new Forecaster(({ type }) => (type === 'image' ? 765 : undefined))
    forecaster.ask(input('', ['image', 'video']), {})
    expect(forecaster.forecast(undefined)).toMatchObject({ media: { image: 1, video: 1 }, sizedImages: 1 })
  })

  it('include a continuation', () => {
    expect(estimateInput({ ...input(text), continuation: text }).likely).toBe(204)
  })
})

describe('the tokens of an answer', () => {
  it("are at most the request's limit, and one for a likelihood", () => {
    expect(mostOutput({ type: 'generate_until' }, { max_new_tokens: 64 })).toBe(64)
    expect(mostOutput({ type: 'generate_until' }, {})).toBe(1_024)
    expect(mostOutput({ type: 'loglikelihood' }, { max_new_tokens: 64 })).toBe(1)
  })
})

describe('the forecast of a run', () => {
  it("is estimated without stored answers, up to the requests' limits", () => {
    const forecaster = new Forecaster()
    for (let n = 0; n < 10; n++) forecaster.ask(input(text), { max_new_tokens: 50 })
    expect(forecaster.forecast({ input: 1, output: 10 })).toEqual({
      input: { low: 800, likely: 1_040, high: 1_420 },
      output: { low: 0, likely: 500, high: 500 },
      isInputMeasured: false,
      cost: { low: 0.0008, likely: (1_040 + 5_000) / 1e6, high: (1_420 + 5_000) / 1e6 },
      media: {},
      sizedImages: 0,
    })
  })

  it('is learnt from stored answers', () => {
    const forecaster = new Forecaster()
    for (const output of [10, 12, 14, 12]) forecaster.learn(input(text), meta(208, output))
    for (let n = 0; n < 100; n++) forecaster.ask(input(text), { max_new_tokens: 4_096 })
    const forecast = forecaster.forecast(undefined)
    expect(forecast).toMatchObject({
      input: { low: 18_720, likely: 20_800, high: 22_880 },
      isInputMeasured: true,
      medianOutput: 12,
      requestMs: 100,
    })
    expect(forecast.output.likely).toBe(1_200)
    expect(forecast.output.low).toBeGreaterThan(1_000)
    expect(forecast.output.high).toBeLessThan(1_400)
    expect(forecast.cost).toBeUndefined()
  })

  it('ranges from half to twice the estimate after a single answer', () => {
    const forecaster = new Forecaster()
    forecaster.learn(input(text), meta(104, 20))
    forecaster.ask(input(text), {})
    expect(forecaster.forecast(undefined).output).toEqual({ low: 10, likely: 20, high: 30 })
  })

  it('takes no times from batches, and ignores answers without token counts', () => {
    const forecaster = new Forecaster()
    forecaster.learn(input(text), { durationMs: 5, attempts: 1, answeredAt: 0, batch: true })
    forecaster.ask(input(text, ['image', 'image', 'video']), {})
    const forecast = forecaster.forecast(undefined)
    expect(forecast.requestMs).toBeUndefined()
    expect(forecast.isInputMeasured).toBe(false)
    expect(forecast.media).toEqual({ image: 2, video: 1 })
  })
})
