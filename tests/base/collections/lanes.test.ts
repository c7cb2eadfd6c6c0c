import { expect, test } from 'vitest'
import { Lanes } from '../../../base/collections/lanes.js'

const never = new AbortController().signal

/** Jobs that end on request, and the order in which they began. */
function jobs() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const job = (name: string) => () =>
    new Promise<string>(resolve => {
      begun.push(name)
      ends.set(name, () => resolve(name))
    })
  return { begun, job, end: (name: string) => ends.get(name)?.() }
}

/** Lets all promises that are settled continue. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('the first free lane takes the next job, so that a long job delays no other', async () => {
  const lanes = new Lanes(2)
  const { begun, job, end } = jobs()
  const short = ['b', 'c', 'd', 'e']
  const long = lanes.run(job('long'), never)
  const rest = short.map(name => lanes.run(job(name), never))
  for (const name of short) {
    await settle()
    expect(begun.at(-1)).toBe(name)
    end(name)
  }
  expect(await Promise.all(rest)).toEqual(short)
  end('long')
  expect(await long).toBe('long')
})

test('a failed job frees its lane, and a cancelled wait takes none', async () => {
  const lanes = new Lanes(1)
  const { begun, job, end } = jobs()
  const stop = new AbortController()
  const failed = lanes.run(() => Promise.reject(new Error('no')), never)
  const first = lanes.run(job('first'), never)
  const left = lanes.run(job('left'), stop.signal)
  const last = lanes.run(job('last'), never)
  await expect(failed).rejects.toThrow('no')
  stop.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  end('first')
  await first
  await settle()
  end('last')
  await last
  expect(begun).toEqual(['first', 'last'])
})
