import { afterEach, expect, test } from 'vitest'
import { limited, ofDoc, setTimeLimit, TimeLimitError, watchCode, watched } from '../../../base/time/time-limit.js'

afterEach(() => {
  setTimeLimit(30)
  watchCode(undefined)
})

const endless = (): never => {
  for (;;);
}

const backtracking = (): boolean => /^(a+)+$/.test(`${'a'.repeat(60)}b`)

test.each([
  ['a loop', endless],
  ['a pattern that backtracks', backtracking],
  [
    'a loop within finally',
    () => {
      try {
        throw new Error('first')
      } finally {
        endless()
      }
    },
  ],
])('%s is ended at the limit, and its name is told', (_name, work) => {
  setTimeLimit(0.05)
  expect(() => limited('utils.score', work)).toThrow(
    'utils.score did not end within 0.05 s. Fix it, or set PIPELINE_CODE_TIMEOUT to more seconds',
  )
  expect(limited('utils.score', () => 7)).toBe(7)
})

test('the innermost code is named, and what comes after it goes on as before', () => {
  setTimeLimit(0.05)
  const said: string[] = []
  watchCode({ began: place => said.push(place), ended: () => said.push('-') })
  const work = (): void => {
    limited('scoring', () => {
      ofDoc('colours', 3, () => limited('utils.first', () => 1))
      ofDoc('colours', 4, () => limited('utils.second', endless))
    })
  }
  expect(work).toThrow(TimeLimitError)
  expect(work).toThrow('utils.second did not end')
  watched('utils.third', () => 1)
  expect(said.slice(-7)).toEqual([
    'scoring',
    'utils.first (task colours, doc 3)',
    'scoring (task colours, doc 3)',
    'utils.second (task colours, doc 4)',
    '-',
    'utils.third',
    '-',
  ])
})

test('what the code throws or returns is passed on', async () => {
  const error = new Error('its own')
  expect(() =>
    limited('f', () => {
      throw error
    }),
  ).toThrow(error)
  expect(limited('f', () => undefined)).toBeUndefined()
  await expect(limited('f', () => Promise.resolve(3))).resolves.toBe(3)
})

test('a watcher that is slow to start does not count against the limit', () => {
  setTimeLimit(0.2)
  let isStarted = false
  const start = (): void => {
    if (!isStarted) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    isStarted = true
  }
  watchCode({ began: start, ended: () => undefined })
  expect(limited('utils.score', () => 7)).toBe(7)
})
