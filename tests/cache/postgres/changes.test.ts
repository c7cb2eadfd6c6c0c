import { expect, test } from 'vitest'
import { Changes } from '../../../cache/postgres/connection/changes.js'
import type { Query } from '../../../cache/postgres/connection/query.js'

/** A handle with its own clock and counters of its statements. */
function makeHandle() {
  const state = { now: 0, stored: 10, reads: 0, told: [] as unknown[], due: [] as (() => void)[] }
  const changes = new Changes('evals', {
    now: () => state.now,
    after: (_, action) => {
      state.due.push(action)
      return () => undefined
    },
  })
  const query: Query = (_, [, notice] = []) => {
    state.told.push(notice)
    return Promise.resolve([])
  }
  const read = (): Promise<number> => {
    state.reads += 1
    return Promise.resolve(state.stored)
  }
  return {
    ...{ state, changes, query },
    look: (isHearing = true) => changes.readVersion(isHearing, read),
  }
}

test('a handle that receives notifications queries only after one, or after two seconds', async () => {
  const { state, changes, look } = makeHandle()
  const first = await look()
  for (let call = 0; call < 100; call++) expect(await look()).toBe(first)
  expect(state.reads).toBe(1)
  state.stored += 1
  changes.hear('evals 0123')
  expect(await look()).toBe(first + 1)
  expect(state.reads).toBe(2)
  // A notification that was lost.
  state.stored += 1
  state.now += 2_001
  expect(await look()).toBe(first + 2)
})

test('ignores its own commits and those of other projects', async () => {
  const { state, changes, look, query } = makeHandle()
  const first = await look()
  state.stored += 5
  changes.own += 5
  await changes.announce(query)
  changes.hear(String(state.told[0]))
  changes.hear('evals2 0123')
  expect(await look()).toBe(first)
  expect(state.reads).toBe(1)
  changes.hear(undefined)
  expect(await look()).toBe(first)
  expect(state.reads).toBe(2)
})

test('one notification announces many commits, and the last commit is always announced', async () => {
  const { state, changes, query } = makeHandle()
  for (let commit = 0; commit < 50; commit++) await changes.announce(query)
  expect(state.told).toHaveLength(1)
  expect(state.due).toHaveLength(1)
  let later = 0
  changes.onDue(() => (later += 1))
  state.now += 500
  state.due[0]!()
  expect(later).toBe(1)
  await changes.announce(query)
  expect(state.told).toHaveLength(2)
})

test('remembers a notification during a read, and a failed read', async () => {
  const { state, changes, look } = makeHandle()
  await changes.readVersion(true, () => {
    changes.hear('evals 0123')
    return Promise.resolve(1)
  })
  expect(await look()).toBe(10)
  changes.hear(undefined)
  await expect(changes.readVersion(true, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  await look()
  expect(state.reads).toBe(2)
})

test('without notifications, each look queries the server', async () => {
  const { state, look } = makeHandle()
  for (let call = 0; call < 3; call++) await look(false)
  expect(state.reads).toBe(3)
})

test('sends notifications less often the more handles there are', async () => {
  const { state, changes, query } = makeHandle()
  for (let other = 0; other < 1000; other++) changes.hear(`evals ${other}`)
  await changes.announce(query)
  state.now += 49_000
  await changes.announce(query)
  expect(state.told).toHaveLength(1)
  state.now += 1_000
  await changes.announce(query)
  expect(state.told).toHaveLength(2)
  // Handles that ended are forgotten.
  state.now += 121_000
  await changes.announce(query)
  state.now += 500
  await changes.announce(query)
  expect(state.told).toHaveLength(4)
})
