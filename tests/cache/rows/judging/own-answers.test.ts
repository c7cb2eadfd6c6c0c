import { expect, test } from 'vitest'
import { OwnAnswers } from '../../../../cache/rows/judging/own-answers.js'

const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)

test('lists each answered request once, a page at a time', () => {
  const own = new OwnAnswers()
  own.add([7, 8])
  expect(own.list(0, 5)).toEqual({ requests: [7, 8], next: 2, isLast: true })
  own.add([9, 10, 11])
  expect(own.list(2, 2)).toEqual({ requests: [9, 10], next: 4, isLast: false })
  expect(own.list(4, 2)).toEqual({ requests: [11], next: 5, isLast: true })
  expect(own.list(5, 2)).toEqual({ requests: [], next: 5, isLast: true })
})

test('forgets old requests, and continues with those that it remembers', () => {
  const own = new OwnAnswers()
  for (let from = 0; from < 25_000; from += 1_000) own.add(numbers(from, 1_000))
  expect(own.count).toBe(25_000)
  const page = own.list(3, 1_000_000)
  expect(page).toMatchObject({ next: 25_000, isLast: true })
  expect(page.requests.at(0)).toBeGreaterThan(3)
  expect(page.requests).toEqual(numbers(page.requests[0]!, 25_000 - page.requests[0]!))
  expect(page.requests.length).toBeLessThanOrEqual(20_000)
})
