import { expect, test } from 'vitest'
import { parseDigest, type RunKey } from '../../../cache/digest.js'
import { findRun, openRun } from '../../../src/evaluation/run-reference.js'
import { temporaryStore, testRun } from '../../support/store.js'

const run = (name: string, start: string) => ({
  name,
  id: parseDigest(`sha256:${start}${'0'.repeat(60 - start.length)}${name.slice(-4)}`) as RunKey,
})
const runs = [run('brave-otter-7f3a', 'aa11'), run('calm-heron-19c2', 'aa22'), run('calm-owl-03c2', 'bb33')]
const named = (reference: string) => findRun(reference, runs).run.name

test.each([
  ['brave-otter-7f3a', 'brave-otter-7f3a'],
  ['brave', 'brave-otter-7f3a'],
  ['7f3a', 'brave-otter-7f3a'],
  ['heron-19c2', 'calm-heron-19c2'],
  ['bb33', 'calm-owl-03c2'],
  ['last', 'calm-owl-03c2'],
  ['last~0', 'calm-owl-03c2'],
  ['last~2', 'brave-otter-7f3a'],
])('%s is %s', (reference, name) => {
  expect(named(reference)).toBe(name)
})

test('a whole id is a run', () => {
  expect(named(runs[1]!.id)).toBe('calm-heron-19c2')
})

test('a number after @ is a judgement', () => {
  expect(findRun('last@2', runs)).toEqual({ run: runs[2], judgement: 2 })
})

test.each([
  ['calm', '"calm" may be calm-heron-19c2, calm-owl-03c2: say more of it'],
  ['c2', '"c2" may be calm-heron-19c2, calm-owl-03c2: say more of it'],
  ['calm-heron-19c3', 'no run "calm-heron-19c3". Did you mean "calm-heron-19c2"?   (pipeline runs list)'],
  ['last~3', 'no run "last~3". The store holds 3 runs   (pipeline runs list)'],
])('%s is refused', (reference, message) => {
  expect(() => findRun(reference, runs)).toThrow(message)
})

test('a name that is whole wins over those that it is part of', () => {
  expect(findRun('otter-aaaa', [run('otter-aaaa', 'cc'), run('otter-aaaa-aaaa', 'dd')]).run.name).toBe('otter-aaaa')
})

test('a run is opened by its whole id without reading the others, and an id that is unknown is refused', async () => {
  const store = await temporaryStore()
  const run = await testRun(store, ['a'])
  await testRun(store, ['b'])
  const runs = { ...store.runs, list: () => Promise.reject(new Error('all runs were read')) }
  const found = await openRun({ ...store, runs, judgements: store.judgements }, run.id)
  expect(found).toEqual({ run })
  await expect(openRun(store, `sha256:${'0'.repeat(64)}`)).rejects.toThrow('no run "sha256:')
})
