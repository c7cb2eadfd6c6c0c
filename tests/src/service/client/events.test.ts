import { expect, test } from 'vitest'
import { EvalClient, type JobEvent } from '../../../../src/service/client/index.js'
import { answer, drop, event, scriptedService, stream } from './scripted-service.js'

async function idsOf(events: AsyncIterable<JobEvent>): Promise<number[]> {
  const ids: number[] = []
  for await (const { id } of events) ids.push(id)
  return ids
}

const running = answer({ status: 'running' })

test('returns events as sent, without comments and unknown fields', async () => {
  const { client } = await scriptedService(
    stream(
      `: alive\n\nretry: 3\n\nid: 1\r\nevent: note\r\ndata: {"at":5,"text":"ä\\n"}\r\n\r\n${event(2, 'completed')}`,
    ),
  )
  const found: JobEvent[] = []
  for await (const one of client.events('a')) found.push(one)
  expect(found).toEqual([
    { id: 1, type: 'note', at: 5, data: { text: 'ä\n' } },
    { id: 2, type: 'completed', at: 1002, data: { n: 2 } },
  ])
})

test('continues an interrupted stream after the last event, and returns every event once', async () => {
  const { client, received } = await scriptedService(
    stream(event(1) + event(2) + 'id: 3\nevent: progress\nda', 'cut'),
    running,
    drop,
    // A server that repeats events causes no duplicate.
    stream(event(2) + event(3) + event(4)),
    running,
    stream(event(5) + event(6, 'cancelled')),
  )
  expect(await idsOf(client.events('a'))).toEqual([1, 2, 3, 4, 5, 6])
  const streams = received.filter(({ line }) => line === 'GET /jobs/a/events')
  expect(streams.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2', '4'])
})

test('a client that already has the last event gets none', async () => {
  const { client } = await scriptedService(stream(''), answer({ status: 'completed' }), stream(''))
  expect(await idsOf(client.events('a', { lastEventId: 9 }))).toEqual([])
})

test('returns the last event if the stream ended just before it', async () => {
  const { client } = await scriptedService(
    stream(event(1)),
    answer({ status: 'completed' }),
    stream(event(2, 'completed')),
  )
  expect(await idsOf(client.events('a'))).toEqual([1, 2])
})

test('reconnects if a connection is silent for too long', async () => {
  const { url } = await scriptedService(stream(event(1), 'silence'), running, stream(event(2, 'failed')))
  const client = new EvalClient({ baseUrl: url, retryDelayMs: 1, timeoutMs: 200 })
  expect(await idsOf(client.events('a'))).toEqual([1, 2])
})

test('streams without progress end with an error', async () => {
  const { client, received } = await scriptedService((response, one) => {
    ;(one.line.endsWith('/events') ? stream(': alive\n\n') : running)(response, one)
  })
  await expect(idsOf(client.events('a'))).rejects.toThrow('ended early')
  expect(received.length).toBe(10)
})

test('leaving the loop closes the connection, and aborting ends the loop', async () => {
  let closed = 0
  const { client } = await scriptedService((response, one) => {
    response.on('close', () => (closed += 1))
    stream(event(1) + event(2), 'silence')(response, one)
  })
  for await (const { id } of client.events('a')) if (id === 2) break
  await expect.poll(() => closed).toBe(1)

  const stop = new AbortController()
  const reading = (async () => {
    for await (const { id } of client.events('a', { signal: stop.signal }))
      if (id === 2) stop.abort(new Error('enough'))
  })()
  await expect(reading).rejects.toThrow('enough')
  await expect.poll(() => closed).toBe(2)
})
