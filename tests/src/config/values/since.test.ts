import { expect, test } from 'vitest'
import { readSince } from '../../../../src/config/values/since.js'

const now = Date.parse('2026-11-25T12:00:00Z')
const hour = 3_600_000

test.each([
  ['2d', 48 * hour],
  ['1w', 168 * hour],
  ['1.5h', 1.5 * hour],
  ['30m', hour / 2],
])('reads %s as an age', (text, age) => {
  expect(readSince('--since', text, now)).toBe(now - age)
})

test('a date is local midnight, and a date with a time is that time', () => {
  expect(readSince('--since', '2026-11-20', now)).toBe(new Date(2026, 10, 20).getTime())
  expect(readSince('--since', '2026-11-20T15:00Z', now)).toBe(Date.parse('2026-11-20T15:00Z'))
})

test.each(['yesterday', '5', '2026-13-40', '-2d', '', 'd', '20.11.2026'])('rejects "%s" with an example', text => {
  expect(() => readSince('--since', text, now)).toThrow('--since: expected an age such as 2d')
})
