import { expect, test } from 'vitest'
import { requestKeys } from '../../../../cache/request-keys.js'
import type { ResponseMeta } from '../../../../cache/records.js'
import { question, temporaryStore, testRun } from '../../../support/store.js'

const meta: ResponseMeta = { durationMs: 5, attempts: 1, answeredAt: 7, usage: { outputTokens: 2 } }
const saying = (text: string) => ({ body: { text, finishReason: 'stop' as const }, meta })

test('keeps the first answer to a request and gives it to every run', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  expect(await store.requests.keepAnswer(run, question(3), saying('a'))).toEqual(saying('a'))
  expect(await store.requests.keepAnswer(run, question(3), saying('b'))).toEqual(saying('a'))
  expect(await store.runs.counts(run)).toMatchObject({ items: 1, answered: 1, pending: 0, inputFinished: true })
  const other = await testRun(store, ['other'])
  expect(await store.requests.keepAnswer(other, question(9, 'question 3'), saying('c'))).toEqual(saying('a'))
  const [request] = question(3).requests
  if (request === undefined || !('input' in request)) throw new Error('a question is a request')
  expect(await store.requests.answerOf(requestKeys(run.asked)(request).response)).toEqual(saying('a'))
  expect(await store.upkeep.verify({ repair: false })).toMatchObject({ damaged: [] })
})
