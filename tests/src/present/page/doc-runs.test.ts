import { expect, onTestFinished, test } from 'vitest'
import { makeStore } from '../../../../bench/viewer/make-store.js'
import { openStore } from '../../../../cache/open.js'
import { docRuns } from '../../../../src/present/page/samples/doc-runs.js'
import { openRun } from '../../../../src/reading/runs/run-reference.js'
import { sampleAt } from '../../../../src/reading/samples/sample-at.js'
import { temporaryFolder } from '../../../support/store.js'

test('finds a doc in other runs with its answers', async () => {
  const folder = await temporaryFolder()
  const [a = '', b = ''] = await makeStore(folder, 80, () => undefined)
  const store = await openStore(folder)
  onTestFinished(() => store.close())
  const [first, second] = [await openRun(store, a), await openRun(store, b)]
  const place = { task: 1, index: 3 }
  const other = await sampleAt(store, second, place)
  const { runs, left } = await docRuns(store, first, place)
  expect(left).toBe(0)
  expect(runs).toMatchObject([{ name: b, cell: { ...place, answer: other?.items[0]?.response?.body.text } }])
  expect(runs[0]).toMatchObject({ isAskedSame: true, isSameAnswer: false })
  await expect(docRuns(store, first, { task: 9, index: 0 })).rejects.toThrow(/no doc 0 in task 9/)
})
