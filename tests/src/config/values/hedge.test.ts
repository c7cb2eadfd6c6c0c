import { describe, expect, test } from 'vitest'
import { configSchema } from '../../../../src/config/file/config-schema.js'
import { hedgeIn, writtenHedge, type HedgeFlag } from '../../../../src/config/values/hedge.js'
import { makeGroupSettings } from '../../../../src/config/option.js'
import { sendingOptions } from '../../../../src/config/options/sending-options.js'

const { hedge } = sendingOptions
const hedgeSettings = (flag: HedgeFlag | undefined, config: HedgeFlag | undefined) =>
  makeGroupSettings({ hedge }, flag === undefined ? {} : { hedge: flag }, { hedge: config })

test.each([
  ['p95', { quantile: 0.95 }],
  ['p99.5', { quantile: 0.995 }],
  ['30s', { ms: 30_000 }],
  ['2m', { ms: 120_000 }],
  ['1.5', { ms: 1_500 }],
])('reads %s, and writes it back equivalently', (text, after) => {
  expect(hedgeIn(text)).toEqual(after)
  expect(hedgeIn(writtenHedge(after))).toEqual(after)
})

test.each(['p0', 'p100', '95%', 'fast', '-3', ''])('rejects %s and says what is expected', text => {
  expect(() => hedgeIn(text)).toThrow(`--hedge: expected a percentile of the latencies such as p95`)
})

describe('flag and file', () => {
  const inFile = (hedge: unknown) => configSchema.parse({ hedge }).hedge

  test('without a value, means the 95th percentile', () => {
    expect(hedgeSettings(true, undefined)).toEqual({ hedge: { quantile: 0.95 } })
    expect(hedgeSettings(undefined, inFile(true))).toEqual({ hedge: { quantile: 0.95 } })
  })

  test('hedging is off if not set or if the flag turns it off', () => {
    expect(hedgeSettings(undefined, undefined)).toEqual({})
    expect(hedgeSettings(undefined, inFile(false))).toEqual({})
    expect(hedgeSettings(false, inFile('p90'))).toEqual({})
  })

  test('a file may give a number of seconds', () => {
    expect(hedgeSettings(undefined, inFile(20))).toEqual({ hedge: { ms: 20_000 } })
    expect(configSchema.safeParse({ hedge: 'often' }).success).toBe(false)
  })
})
