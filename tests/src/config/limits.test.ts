import { describe, expect, it } from 'vitest'
import { makeGroupSettings } from '../../../src/config/option.js'
import { dollarsIn, durationIn, limitOptions, milliseconds } from '../../../src/config/limits.js'
import { parseConfig } from '../../../src/config/file/config-file.js'

describe('a time', () => {
  it.each([
    ['90', 90_000],
    ['0.5', 500],
    ['90s', 90_000],
    ['10m', 600_000],
    ['10 min', 600_000],
    ['2h', 7_200_000],
    ['1.5h', 5_400_000],
    ['1h30m', 5_400_000],
    ['1h 30m 5s', 5_405_000],
  ])('is read from "%s"', (text, expected) => {
    expect(milliseconds(text)).toBe(expected)
  })

  it.each(['', '0', '-5', '10x', 'm', '5 10', '10d', '1e3', 'ten'])('is not read from "%s"', text => {
    expect(() => durationIn(text)).toThrow(`--max-time: expected a time such as 90s`)
  })
})

describe('dollars', () => {
  it('may have a dollar sign', () => {
    expect(dollarsIn('$2.50')).toBe(2.5)
    expect(dollarsIn('.05')).toBe(0.05)
    expect(dollarsIn('0')).toBe(0)
  })

  it.each(['', 'abc', '-1', '1,50', '$', '1e9'])('are not read from "%s"', text => {
    expect(() => dollarsIn(text)).toThrow('--max-cost: expected dollars such as 2.50')
  })
})

describe('limits', () => {
  it('limits of the command line override those of the configuration file', () => {
    const { config } = parseConfig('max_requests: 5\nmax_time: 1h\nmax-cost: 2\nfail_fast: 3\n', 'c.yaml')[0]!
    expect(makeGroupSettings(limitOptions, { maxRequests: 9 }, config)).toEqual({
      maxRequests: 9,
      maxTime: 3_600_000,
      maxCost: 2,
      failFast: 3,
    })
  })

  it('may be a number of seconds in a configuration file, and must be valid', () => {
    expect(makeGroupSettings(limitOptions, {}, parseConfig('max_time: 90\n', 'c.yaml')[0]!.config)).toEqual({
      maxTime: 90_000,
    })
    expect(() => parseConfig('max_time: soon\n', 'c.yaml')).toThrow(
      'c.yaml:1:11  max_time: expected a time such as 90s, 10m, 1.5h, 1h30m, or seconds, given the text "soon"',
    )
    expect(() => parseConfig('fail_fast: 0\n', 'c.yaml')).toThrow(
      'expected a whole number, 1 or more, given the number 0',
    )
  })

  it('are absent if not set', () => {
    expect(makeGroupSettings(limitOptions, {}, {})).toEqual({})
  })
})
