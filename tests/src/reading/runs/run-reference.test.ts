import { expect, test } from 'vitest'
import { parseDigest } from '../../../../cache/digest.js'
import type { Run } from '../../../../cache/records.js'
import type { Store } from '../../../../cache/store.js'
import { findRun, openRun } from '../../../../src/reading/runs/run-reference.js'
import { temporaryStore, testAsked, testProvenance, testRun } from '../../../support/store.js'

const run = (name: string, start: string): Run => ({
  ref: 1,
  name,
  id: parseDigest(`sha256:${start}${'0'.repeat(60 - start.length)}${name.slice(-4)}`),
  asked: testAsked(),
  provenance: testProvenance,
  createdAt: 0,
})
const runs = [run('brave-otter-7f3a', 'aa11'), run('calm-heron-19c2', 'aa22'), run('calm-owl-03c2', 'bb33')]

/** A store with these runs, the oldest first. */
async function storeOf(held: readonly Run[]): Promise<Pick<Store, 'runs'>> {
  const { runs: own } = await temporaryStore()
  return {
    runs: {
      ...own,
      names: () => Promise.resolve(held),
      list: () => Promise.resolve(held),
      find: id => Promise.resolve(held.find(one => one.id === id)),
      page: ({ offset = 0, limit }) =>
        Promise.resolve({ runs: [...held].reverse().slice(offset, offset + limit), total: held.length }),
    },
  }
}

const found = async (reference: string) => findRun(await storeOf(runs), reference)
const named = async (reference: string) => (await found(reference)).run.name

test.each([
  ['brave-otter-7f3a', 'brave-otter-7f3a'],
  ['brave', 'brave-otter-7f3a'],
  ['7f3a', 'brave-otter-7f3a'],
  ['heron-19c2', 'calm-heron-19c2'],
  ['bb33', 'calm-owl-03c2'],
  ['last', 'calm-owl-03c2'],
  ['last~0', 'calm-owl-03c2'],
  ['last~2', 'brave-otter-7f3a'],
])('%s means %s', async (reference, name) => {
  expect(await named(reference)).toBe(name)
})

test('a given name means the newest run with it, and ~1 the one before', async () => {
  const entitled = (name: string, one: Run): Run => ({
    ...one,
    provenance: { ...one.provenance, config: { ...one.provenance.config, name } },
  })
  const [first, second, third] = [entitled('trial/a', runs[0]!), entitled('trial/a', runs[1]!), runs[2]!]
  const store = await storeOf([first, second, third])
  expect((await findRun(store, 'trial/a')).run.name).toBe('calm-heron-19c2')
  expect(await findRun(store, 'trial/a~1@2')).toEqual({ run: first, judgement: 2 })
  expect((await findRun(store, 'calm-owl-03c2')).run).toBe(third)
  await expect(findRun(store, 'trial/a~2')).rejects.toThrow('no run "trial/a~2"')
  await expect(findRun(store, 'trial/b')).rejects.toThrow('no run "trial/b". Did you mean "trial/a"?')
})

test('a full id means a run', async () => {
  expect(await named(runs[1]!.id)).toBe('calm-heron-19c2')
})

test('a number after @ means a judgement', async () => {
  expect(await found('last@2')).toEqual({ run: runs[2], judgement: 2 })
  expect(await found(`${runs[1]!.id}@3`)).toEqual({ run: runs[1], judgement: 3 })
})

test.each([
  ['calm', '"calm" may be calm-heron-19c2, calm-owl-03c2: say more of it'],
  ['c2', '"c2" may be calm-heron-19c2, calm-owl-03c2: say more of it'],
  ['calm-heron-19c3', 'no run "calm-heron-19c3". Did you mean "calm-heron-19c2"?   (pipeline runs list)'],
  ['last~3', 'no run "last~3". The store holds 3 runs   (pipeline runs list)'],
])('rejects %s', async (reference, message) => {
  await expect(found(reference)).rejects.toThrow(message)
})

test('a full name takes precedence over names that contain it', async () => {
  const store = await storeOf([run('otter-aaaa', 'cc'), run('otter-aaaa-aaaa', 'dd')])
  expect((await findRun(store, 'otter-aaaa')).run.name).toBe('otter-aaaa')
})

test('opens a run by its full id without reading others, and rejects an unknown id', async () => {
  const store = await temporaryStore()
  const run = await testRun(store, ['a'])
  await testRun(store, ['b'])
  const runs = { ...store.runs, list: () => Promise.reject(new Error('all runs were read')) }
  const found = await openRun({ ...store, runs, judgements: store.judgements }, run.id)
  expect(found).toEqual({ run })
  await expect(openRun(store, `sha256:${'0'.repeat(64)}`)).rejects.toThrow('no run "sha256:')
})

test('opens a run by its name and by last without reading others', async () => {
  const store = await temporaryStore()
  const first = await testRun(store, ['a'])
  const second = await testRun(store, ['b'])
  const others = { ...store.runs, list: () => Promise.reject(new Error('all runs were read')) }
  const opened = { ...store, runs: others, judgements: store.judgements }
  expect(await openRun(opened, first.name)).toEqual({ run: first })
  expect(await openRun(opened, 'last')).toEqual({ run: second })
})
