import { expect, test } from 'vitest'
import { inLanes, threadsFor } from '../../../../cache/bundle/parts/part-threads.js'

test('starts as many threads as free memory allows', () => {
  expect([100, 180, 200, 239, 241, 900].map(megabytes => threadsFor(megabytes * 2 ** 20))).toEqual([3, 2, 1, 1, 0, 0])
})

test('runs a limited number of jobs at once, and returns their results in order', async () => {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const jobs = [0, 1, 2, 3].map(job => async () => {
    begun.push(job)
    await new Promise<void>(resolve => (ends[job] = resolve))
    return `job ${job}`
  })
  const done = inLanes(2, jobs)
  expect(begun).toEqual([0, 1])
  ends[1]?.()
  await expect.poll(() => begun).toEqual([0, 1, 2])
  ends[2]?.()
  await expect.poll(() => begun).toEqual([0, 1, 2, 3])
  ends[0]?.()
  ends[3]?.()
  expect(await done).toEqual(['job 0', 'job 1', 'job 2', 'job 3'])
})

test('one failing part fails the whole job', async () => {
  await expect(inLanes(1, [() => Promise.reject(new Error('no space left'))])).rejects.toThrow('no space left')
})
