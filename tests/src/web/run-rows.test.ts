import { expect, test } from 'vitest'
import type { RunRow } from '../../../src/present/page/data/index.js'
import { RunRows } from '../../../src/web/pages/runs/run-rows.js'

const row = (name: string, answered = 0): RunRow => ({
  id: name,
  name,
  created: '2026-11-23T20:00:00.000Z',
  model: 'openai gpt-4o',
  tasks: ['vqa'],
  tags: [],
  state: 'running',
  progress: { docs: 9, requests: 9, answered, failed: 0, scored: 0 },
  scores: [],
})

function list(rows: RunRow[]) {
  const store = { rows, asked: 0 }
  const source = {
    runs: ({ offset, limit }: { readonly offset: number; readonly limit: number }) => {
      store.asked += 1
      return Promise.resolve({ rows: store.rows.slice(offset, offset + limit), total: store.rows.length })
    },
  }
  return { store, shown: new RunRows(source, {}, () => undefined) }
}

const names = ({ rows }: RunRows): string[] => [...rows.values()].map(({ name }) => name)

test('updates rows in place, and new runs do not move them', async () => {
  const { store, shown } = list([row('b'), row('a')])
  await shown.show(0, 2)
  store.rows = [row('d'), row('c'), row('b', 5), row('a')]
  await shown.refresh()
  await shown.refresh()
  expect(names(shown)).toEqual(['b', 'a'])
  expect(shown.rows.get(0)?.progress.answered).toBe(5)
  expect(shown).toMatchObject({ total: 2, added: 2 })
})

test('loads only the visible pages, each once', async () => {
  const { store, shown } = list(Array.from({ length: 10_000 }, (_, place) => row(`run-${place}`)))
  await shown.show(0, 20)
  await shown.show(10, 30)
  expect(store.asked).toBe(1)
  await shown.show(5_090, 5_110)
  expect(store.asked).toBe(3)
  expect(shown.rows.get(5_100)?.name).toBe('run-5100')
})

test('a list that cannot be read says why, and is read again when it is shown', async () => {
  let isDown = true
  const source = {
    runs: () =>
      isDown ? Promise.reject(new Error('The server is gone.')) : Promise.resolve({ rows: [row('a')], total: 1 }),
  }
  const shown = new RunRows(source, {}, () => undefined)
  await shown.show(0, 1)
  expect(shown.error).toBe('The server is gone.')
  isDown = false
  await shown.show(0, 1)
  expect(shown.error).toBeUndefined()
  expect(names(shown)).toEqual(['a'])
})
