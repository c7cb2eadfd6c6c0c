import { expect, test } from 'vitest'
import { Turns } from '../../../cache/postgres/connection/turns.js'

test('runs at most the allowed number at once, the rest in order, even after a failure', async () => {
  const turns = new Turns(2)
  const began: number[] = []
  const ends: (() => void)[] = []
  const works = [0, 1, 2, 3].map(index =>
    turns.take(async () => {
      began.push(index)
      await new Promise<void>(resolve => (ends[index] = resolve))
      if (index === 1) throw new Error('no')
    }),
  )
  const settled = Promise.allSettled(works)
  const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
  await settle()
  expect(began).toEqual([0, 1])
  ends[1]!()
  await settle()
  expect(began).toEqual([0, 1, 2])
  ends[0]!()
  ends[2]!()
  await settle()
  expect(began).toEqual([0, 1, 2, 3])
  ends[3]!()
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
})
