import { afterEach, expect, test } from 'vitest'
import {
  currentDoc,
  callLimited,
  limitedFunction,
  ofDoc,
  TimeLimitError,
  watchCode,
  callWatched,
} from '../../../base/time/time-limit.js'

afterEach(() => {
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
])('%s is stopped at the time limit, and the error names it', (_name, work) => {
  expect(() => callLimited('utils.score', work, 50)).toThrow(
    'utils.score did not end within 0.05 s. Fix it, or set PIPELINE_CODE_TIMEOUT to more seconds',
  )
  expect(callLimited('utils.score', () => 7)).toBe(7)
})

test('names the innermost code that ran too long, and runs later code as before', () => {
  const said: string[] = []
  watchCode({ began: place => said.push(place), ended: () => said.push('-') })
  const work = (): void => {
    const task = 'colours'
    const scoring = (): void => {
      ofDoc({ task, id: 3 }, () => callLimited('utils.first', () => 1))
      ofDoc({ task, id: 4 }, () => callLimited('utils.second', endless))
    }
    callLimited('scoring', scoring, 50)
  }
  expect(work).toThrow(TimeLimitError)
  expect(work).toThrow('utils.second did not end')
  callWatched('utils.third', () => 1)
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

test('passes on the value or the error of the code', async () => {
  const error = new Error('its own')
  expect(() =>
    callLimited('f', () => {
      throw error
    }),
  ).toThrow(error)
  expect(callLimited('f', () => undefined)).toBeUndefined()
  await expect(callLimited('f', () => Promise.resolve(3))).resolves.toBe(3)
})

test('a watcher that starts slowly does not count against the limit', () => {
  let isStarted = false
  const start = (): void => {
    if (!isStarted) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    isStarted = true
  }
  watchCode({ began: start, ended: () => undefined })
  expect(callLimited('utils.score', () => 7, 200)).toBe(7)
})

test('the limit of a call overrides the limit of its doc, which ends with the doc', () => {
  const inDoc = (limit: number): void => ofDoc({ task: 'colours', id: 3, limit }, () => callLimited('f', endless))
  expect(() => inDoc(40)).toThrow('f did not end within 0.04 s')
  expect(() => ofDoc({ task: 'colours', id: 3, limit: 60_000 }, () => callLimited('f', endless, 30))).toThrow(
    'within 0.03 s',
  )
  expect(() => limitedFunction('f', endless, 20)()).toThrow('within 0.02 s')
  ofDoc({ task: 'colours', id: 4 }, () => expect(currentDoc()?.limit).toBeUndefined())
  expect(currentDoc()).toBeUndefined()
})

/** Blocks this thread without using the processor, as a busy machine does. */
const wait = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

test('code that the machine keeps waiting is not ended at the limit, which is CPU time', () => {
  let calls = 0
  const work = (): string => {
    calls += 1
    wait(300)
    return 'scored'
  }
  expect(callLimited('utils.score', work, 60)).toBe('scored')
  expect(calls).toBeGreaterThan(1)
})

test('code that uses no CPU time is ended at a wall time far above the limit', () => {
  expect(() => callLimited('utils.score', () => wait(60_000), 5)).toThrow('utils.score did not end within 0.005 s')
})

test('an error of code that is called again is its own', () => {
  const work = (): never => {
    wait(200)
    throw new Error('own')
  }
  expect(() => callLimited('utils.score', work, 60)).toThrow('own')
})
