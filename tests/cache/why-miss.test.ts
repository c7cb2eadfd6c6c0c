import { expect, test } from 'vitest'
import type { DraftDoc, Store } from '../../cache/store.js'
import { question, temporaryStore, testRun } from '../support/store.js'

/** A doc whose index differs from its id. */
const at = (index: number, id: number, text?: string): DraftDoc => ({ ...question(id, text), index })

async function runOf(store: Store, name: string, docs: readonly DraftDoc[]) {
  const run = await testRun(store, ['t'], { selection: { system_instruction: name } })
  await store.docs.commit(run, 0, docs, true)
  return run
}

test('equal requests of two runs have no difference, wherever they are in the dataset', async () => {
  const store = await temporaryStore()
  const before = await runOf(store, 'before', [at(0, 0), at(1, 1), at(2, 2)])
  const after = await runOf(store, 'after', [at(0, 7), at(1, 2), at(2, 1), at(3, 0)])
  expect(await store.requests.whyMiss(before, after)).toEqual({ shared: 3, differing: 0, reasons: [] })
})

test('pairs differing docs by their ids', async () => {
  const store = await temporaryStore()
  const before = await runOf(store, 'before', [at(0, 0), at(1, 1), at(2, 2)])
  const after = await runOf(store, 'after', [at(0, 7), at(1, 0), at(2, 1, 'another'), at(3, 2)])
  expect(await store.requests.whyMiss(before, after)).toEqual({
    shared: 3,
    differing: 1,
    reasons: [
      {
        path: 'input.messages[0].content[0].text',
        before: 'question 1',
        after: 'another',
        requests: 1,
        example: 't/1',
        isUniform: true,
      },
    ],
  })
})
