import { expect, onTestFinished, test } from 'vitest'
import type { PortableStore, Table } from '../../../../cache/bundle/portable.js'
import { openStore } from '../../../../cache/open.js'
import type { Run } from '../../../../cache/records.js'
import type { Store } from '../../../../cache/store.js'
import { MemoryPortableStore } from '../../../support/memory-portable-store.js'
import { collect, dump, portableRun, type RunPlan } from '../../../support/portable-runs.js'
import { temporaryFolder } from '../../../support/store.js'

/** Every hundredth answer is longer than the maximum size of a batch of rows. */
const plan: RunPlan = {
  docs: 450,
  answer: doc => (doc % 90 === 5 ? null : doc % 100 === 0 ? 'long '.repeat(150_000) : `answer ${doc}`),
  judgedAt: [3000, 4000],
}

async function stored(): Promise<{ readonly store: Store & PortableStore; readonly run: Run }> {
  const store = await openStore(await temporaryFolder(), { cacheMb: 1 })
  onTestFinished(() => store.close().catch(() => undefined))
  const { run } = await store.importRun(portableRun(plan), 'refuse')
  return { store, run }
}

async function sizesOf<Row>(table: Table<Row>): Promise<readonly number[]> {
  const sizes: number[] = []
  for await (const rows of table()) sizes.push(rows.length)
  return sizes
}

test('exports a run whole and in order, however long its texts are', async () => {
  const { store, run } = await stored()
  const plain = new MemoryPortableStore(await temporaryFolder())
  const { run: same } = await plain.importRun(portableRun(plan), 'refuse')
  expect(await dump(store, [run])).toBe(await dump(plain, [same]))
})

test('exports rows in small batches, and long rows one by one', async () => {
  const { store, run } = await stored()
  const { items, responses, judgements } = await store.exportRun(run)
  expect(Math.max(...(await sizesOf(items)))).toBe(200)
  expect(await sizesOf(responses)).toEqual([1, 98, 99, 99, 99, 49])
  for (const { verdicts } of judgements) expect(Math.max(...(await sizesOf(verdicts)))).toBe(200)
})

test('exports the same rows from its tables alone', async () => {
  const { store, run } = await stored()
  const [exported, tables] = [await store.exportRun(run), await store.runTables(run)]
  for (const name of ['preimages', 'items', 'responses', 'failures'] as const)
    expect(await collect<unknown>(tables[name])).toEqual(await collect<unknown>(exported[name]))
  expect(tables.judgements.map(({ number }) => number)).toEqual([1, 2])
  for (const [at, { verdicts }] of tables.judgements.entries())
    expect(await collect(verdicts)).toEqual(await collect(exported.judgements[at]!.verdicts))
})
