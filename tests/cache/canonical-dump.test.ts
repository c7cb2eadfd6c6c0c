import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exportRun } from '../../cache/bundle/export.js'
import { importBundle } from '../../cache/bundle/import.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import { canonicalDump } from '../../cache/canonical-dump.js'
import { openStore } from '../../cache/open.js'
import type { Store } from '../../cache/store.js'
import { portableRun, type RunPlan } from '../support/portable-runs.js'
import { question, temporaryFolder, testRun } from '../support/store.js'

async function emptyStore(): Promise<Store & PortableStore> {
  const store = await openStore(await temporaryFolder(), { now: () => 1 })
  onTestFinished(() => store.close().catch(() => undefined))
  return store
}

/** Dumps all runs of a store, independent of the order of imports. */
async function dumpOf(store: Store): Promise<string> {
  const runs = [...(await store.runs.list())].sort((a, b) => (a.id < b.id ? -1 : 1))
  const lines: string[] = []
  for (const run of runs) {
    for (const judgement of [undefined, ...(await store.judgements.list(run))])
      for await (const line of canonicalDump(store, run, judgement)) lines.push(line)
  }
  return lines.join('\n')
}

async function answered(order: readonly number[], attempts: number): Promise<string> {
  const store = await emptyStore()
  const run = await testRun(store)
  await store.docs.commit(run, 0, [question(0), question(1), question(2)], true)
  const { leases } = await store.requests.lease(run, { after: 0, limit: 10, retryFailed: false })
  for (const index of order) {
    const body = { text: `answer ${index}`, finishReason: 'stop' } as const
    await store.requests.commitResponse(leases[index]!, body, { durationMs: attempts, attempts, answeredAt: attempts })
  }
  return dumpOf(store)
}

describe('a dump', () => {
  test('contains requests and answers in the order of the run', async () => {
    const lines = (await answered([2, 0, 1], 1)).split('\n').map(line => JSON.parse(line) as unknown)
    expect(lines).toMatchObject(
      [0, 1, 2].map(index => ({
        task: 't',
        index,
        doc: String(index),
        items: [{ response: { text: `answer ${index}` } }],
      })),
    )
  })

  test('does not depend on times, attempts or the order of answers', async () => {
    expect(await answered([2, 0, 1], 1)).toBe(await answered([0, 1, 2], 7))
  })

  test('differs if one answer is missing', async () => {
    expect(await answered([0, 1], 1)).not.toBe(await answered([0, 1, 2], 1))
  })
})

describe('importing', () => {
  const plans = fc
    .record({ seed: fc.nat(1), docs: fc.integer({ min: 1, max: 4 }), answered: fc.nat(4), failed: fc.boolean() })
    .map(({ seed, docs, answered, failed }): RunPlan => ({
      seed,
      docs,
      answer: doc => (doc < answered ? `answer ${doc}` : failed ? null : undefined),
      judgedAt: [seed + 1],
    }))

  async function bundleOf(plan: RunPlan): Promise<string> {
    const store = await emptyStore()
    const { run } = await store.importRun(portableRun(plan), 'refuse')
    const file = join(await temporaryFolder(), 'run.pipeline')
    await exportRun(store, run, { file, media: false })
    await store.close()
    return file
  }

  async function merged(files: readonly string[]): Promise<string> {
    const store = await emptyStore()
    for (const file of files) await importBundle(store, file, { onConflict: 'refuse' })
    const dump = await dumpOf(store)
    await store.close()
    return dump
  }

  test('A then B, B then A, and both twice produce the same dump', async () => {
    await fc.assert(
      fc.asyncProperty(plans, plans, async (a, b) => {
        const [first, second] = [await bundleOf(a), await bundleOf(b)]
        const dump = await merged([first, second])
        expect(await merged([second, first])).toBe(dump)
        expect(await merged([second, first, second, first])).toBe(dump)
      }),
      { numRuns: 4 },
    )
  })
})
