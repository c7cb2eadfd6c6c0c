import { expect, test } from 'vitest'
import type { ResponseMeta } from '../../../../cache/records.js'
import type { Sample } from '../../../../cache/store.js'
import { sampleJson } from '../../../../src/present/json/sample-json.js'
import { someRun } from '../../../support/report-data.js'

const answered = (meta: ResponseMeta): Sample => ({
  task: 0,
  index: 3,
  id: '3',
  record: { target: 'x', doc: {} },
  items: [{ choice: 0, sample: 0, response: { body: { text: 'x', finishReason: 'stop' }, meta } }],
})

const requestOf = (meta: ResponseMeta): unknown =>
  (sampleJson(someRun, answered(meta)) as { readonly requests: readonly unknown[] }).requests[0]

test('a line of a samples file contains the timing of each answer', () => {
  const meta: ResponseMeta = {
    durationMs: 1000.5,
    attempts: 2,
    answeredAt: 1_763_000_000_000,
    usage: { inputTokens: 10, outputTokens: 9 },
    timing: {
      queueMs: 20.1,
      connectMs: 5,
      retryWaitMs: 500.3,
      firstTokenMs: 200.5,
      sentBytes: 700,
      receivedBytes: 80,
      throttled: 1,
    },
  }
  expect(requestOf(meta)).toMatchObject({
    usage: { inputTokens: 10, outputTokens: 9 },
    attempts: 2,
    answered_at: '2025-11-13T02:13:20.000Z',
    timing: {
      queue_ms: 20.1,
      connect_ms: 5,
      retry_ms: 500.3,
      duration_ms: 1000.5,
      end_to_end_ms: 1520.9,
      time_to_first_token_ms: 200.5,
      time_per_output_token_ms: 100,
      sent_bytes: 700,
      received_bytes: 80,
      throttled: 1,
    },
  })
})

test('omits unknown fields of an answer', () => {
  const request = requestOf({ durationMs: 7, attempts: 1, answeredAt: 0 }) as { readonly timing: unknown }
  expect(request).not.toHaveProperty('usage')
  expect(request.timing).toEqual({ duration_ms: 7, end_to_end_ms: 7 })
})
