import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MediaDigest, ResponseKey } from '../../../../../cache/digest.js'
import type { ChatMessage } from '../../../../../cache/records.js'
import { arrangeBy, dispatchOrders } from '../../../../../stages/model/schedule/loop/dispatch-order.js'
import { pendingRequest, type PendingRequest } from '../../../../../stages/model/schedule/loop/pending-request.js'

let number = 0

function request(text: string, given: { image?: string; system?: string; task?: string } = {}): PendingRequest {
  number += 1
  const { image, system, task = 't' } = given
  const messages: ChatMessage[] = [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: [{ type: 'text' as const, text: system }] }]),
    {
      role: 'user',
      content: [
        ...(image === undefined ? [] : [{ type: 'image' as const, media: `sha256:${image}` as MediaDigest }]),
        { type: 'text', text },
      ],
    },
  ]
  return pendingRequest(
    {
      request: number,
      token: number,
      key: `sha256:${number}` as ResponseKey,
      input: { type: 'generate_until', messages },
      generation: {},
      sample: 0,
      item: { run: 1, id: number, task, doc: text },
    },
    0,
  )
}

const docs = (requests: readonly PendingRequest[]) => requests.map(({ lease }) => lease.item.doc)

test('groups requests with the same media, in order of first occurrence', async () => {
  const arrange = await arrangeBy('media')
  const given = [
    request('a1', { image: 'a' }),
    request('b1', { image: 'b' }),
    request('a2', { image: 'a' }),
    request('b2', { image: 'b' }),
  ]
  expect(docs(arrange(given))).toEqual(['a1', 'a2', 'b1', 'b2'])
})

test('groups requests without media by their common beginning', async () => {
  const arrange = await arrangeBy('media')
  const shots = ['x'.repeat(300), 'y'.repeat(300)]
  const given = [
    request(`${shots[0]!}1`),
    request(`${shots[1]!}1`),
    request(`${shots[0]!}2`),
    request('p', { system: 'be short' }),
    request(`${shots[1]!}2`),
  ]
  const order = docs(arrange(given)).map(doc => doc[0]! + doc.at(-1)!)
  expect(order).toEqual(['x1', 'x2', 'y1', 'y2', 'pp'])
})

test('orders requests without a common part by length, then by arrival', async () => {
  const arrange = await arrangeBy('media')
  const given = [request('a'.repeat(100)), request('b'), request('c'.repeat(90)), request('d')]
  expect(docs(arrange(given)).map(doc => doc[0])).toEqual(['b', 'd', 'a', 'c'])
})

test('groups similar lengths among those with the same beginning', async () => {
  const arrange = await arrangeBy('media')
  const shot = 'x'.repeat(256)
  const given = ['a'.repeat(900), 'b', 'c'.repeat(800), 'd'].map(rest => request(shot + rest))
  expect(docs(arrange(given)).map(doc => doc[256])).toEqual(['b', 'd', 'a', 'c'])
})

test('ignores media and beginnings when ordering by length', async () => {
  const arrange = await arrangeBy('length')
  const given = [
    request('a'.repeat(100), { image: 'a' }),
    request('b', { image: 'b' }),
    request('c'.repeat(90)),
    request('d', { image: 'a' }),
  ]
  expect(docs(arrange(given)).map(doc => doc[0])).toEqual(['b', 'd', 'a', 'c'])
})

test('tasks alternate', async () => {
  const arrange = await arrangeBy('media')
  const given = [
    ...['a', 'b', 'c'].map(doc => request(doc, { task: 'one' })),
    ...['x', 'y'].map(doc => request(doc, { task: 'two' })),
  ]
  expect(docs(arrange(given))).toEqual(['a', 'x', 'b', 'y', 'c'])
})

test.each(dispatchOrders)('by %s, no request is lost or duplicated', async order => {
  const arrange = await arrangeBy(order)
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.string(),
          fc.record(
            { image: fc.constantFrom('a', 'b'), system: fc.constantFrom('s', 't'), task: fc.constantFrom('u', 'v') },
            { requiredKeys: [] },
          ),
        ),
      ),
      texts => {
        const given = texts.map(([text, more]) => request(text, more))
        const got = arrange(given)
        expect(got).toHaveLength(given.length)
        expect(new Set(got)).toEqual(new Set(given))
        if (order === 'none') expect(got).toEqual(given)
      },
    ),
  )
})
