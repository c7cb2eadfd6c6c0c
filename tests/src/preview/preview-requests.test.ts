import { expect, test } from 'vitest'
import { requestKeys } from '../../../cache/request-keys.js'
import { DigestCounts } from '../../../base/collections/digest-counts.js'
import { samplePages, type ReadyRequest } from '../../../src/preview/preview-requests.js'
import { question, testAsked } from '../../support/store.js'

const keysOf = requestKeys(testAsked())

const firstSample = (index: number): ReadyRequest => {
  const request = question(index).requests[0]
  if (request === undefined || !('input' in request)) throw new Error('a question has a request')
  return { ...request, sample: 3 }
}

test('counts samples page by page, however many there are', () => {
  let [samples, largest] = [0, 0]
  for (const page of samplePages([firstSample(0), firstSample(1)], {
    repeats: 20_000,
    keysOf,
    seen: new DigestCounts(),
  })) {
    samples += page.length
    largest = Math.max(largest, page.length)
  }
  expect({ samples, largest }).toEqual({ samples: 40_000, largest: 500 })
})

test('computes the key of each sample, and counts a repeated one as shared', () => {
  const seen = new DigestCounts()
  const counted = (index: number, repeats: number) =>
    [...samplePages([firstSample(index)], { repeats, keysOf, seen })].flat()
  const two = counted(0, 2)
  expect(two.map(({ key }) => key)).toEqual([3, 4].map(sample => keysOf({ ...firstSample(0), sample }).response))
  const repeated = (list: typeof two) => list.map(({ isRepeated }) => isRepeated)
  expect(repeated(two)).toEqual([false, false])
  expect(repeated(counted(0, 4))).toEqual([true, true, false, false])
  expect(repeated(counted(1, 1))).toEqual([false])
  expect(repeated(counted(0, 3))).toEqual([true, true, true])
})
