import { expect, test } from 'vitest'
import {
  chosenLimit,
  firstGuess,
  type AcceptedRequests,
} from '../../../../../stages/model/schedule/limits/exceeded-rate.js'

/** Accepted requests of a limit of 100 per second, with a rejection after 700 ms. */
const seen: AcceptedRequests = {
  began: 0,
  isStart: true,
  count: 100,
  surely: 100,
  last: 100,
  isWhole: false,
  peak: 143,
  average: 59,
}

test('takes a round number of accepted requests as the limit per second', () => {
  expect(chosenLimit(700, seen)).toBe(100)
  expect(firstGuess(700, seen)).toMatchObject({ keep: 97.5, trust: 'sure' })
})

test('one or two of the requests sent at once may have arrived after the rate-limited one', () => {
  expect(chosenLimit(700, { ...seen, count: 101 })).toBe(100)
  expect(chosenLimit(700, { ...seen, count: 102 })).toBe(100)
  expect(chosenLimit(700, { ...seen, count: 103 })).toBeUndefined()
  expect(chosenLimit(700, { ...seen, count: 101, surely: 101 })).toBeUndefined()
})

test('ignores rate limits after the first second and numbers that are not round', () => {
  expect(chosenLimit(700, { ...seen, isStart: false })).toBeUndefined()
  expect(chosenLimit(1_200, seen)).toBeUndefined()
  expect(chosenLimit(700, { ...seen, count: 97, surely: 97 })).toBeUndefined()
})
