import { expect, test } from 'vitest'
import { readTasks } from '../../../src/evaluation/tasks/task-readers.js'

const never = new AbortController().signal

/** Reads that end on request. */
function reads() {
  const begun: string[] = []
  const ends = new Map<string, { readonly done: () => void; readonly fail: (error: Error) => void }>()
  const read = (task: string, _: number, drain: AbortSignal): Promise<void> => {
    begun.push(task)
    return new Promise((done, fail) => {
      ends.set(task, { done, fail })
      drain.addEventListener('abort', () => {
        done()
      })
    })
  }
  return {
    begun,
    read,
    end: (task: string) => ends.get(task)!.done(),
    fail: (task: string) => ends.get(task)!.fail(new Error(task)),
  }
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('reads four tasks at once, and the next when one has ended', async () => {
  const { begun, read, end } = reads()
  const whole = readTasks(['a', 'b', 'c', 'd', 'e', 'f'], never, read)
  await turn()
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  end('c')
  await turn()
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
  for (const task of ['a', 'b', 'd']) end(task)
  await turn()
  for (const task of ['e', 'f']) end(task)
  expect(await whole).toBe(true)
})

test('ends the other tasks before it reports a failed one', async () => {
  const { begun, read, fail } = reads()
  const whole = readTasks(['a', 'b', 'c', 'd', 'e'], never, read)
  await turn()
  fail('b')
  await expect(whole).rejects.toThrow('b')
  expect(begun).not.toContain('e')
})

test('a drain starts no further task', async () => {
  const drain = new AbortController()
  const { begun, read } = reads()
  const whole = readTasks(['a', 'b', 'c', 'd', 'e'], drain.signal, read)
  await turn()
  drain.abort()
  expect(await whole).toBe(false)
  expect(begun).toHaveLength(4)
})
