/** Events of a job, each exactly once, over as many connections as that takes. */
import { ConnectionError } from './errors.js'
import type { RequestOptions, Transport } from './transport.js'
import { isFinal, type Job, type JobEvent, type JsonObject } from './wire.js'

/** Options for following the events of a job. */
export interface EventOptions extends RequestOptions {
  /** The last event that is known already. @default 0 */
  readonly lastEventId?: number
}

/** Follows the events of a job, and reconnects where the stream breaks off. */
export async function* jobEvents(
  transport: Transport,
  id: string,
  { lastEventId = 0, signal }: EventOptions,
): AsyncGenerator<JobEvent, void> {
  const path = `/jobs/${encodeURIComponent(id)}`
  let last = lastEventId
  let retry = 0
  let isOver = false
  for (;;) {
    let lost: unknown
    const body = await transport.open(`${path}/events`, {
      headers: { accept: 'text/event-stream', ...(last > 0 && { 'last-event-id': String(last) }) },
      ...(signal && { signal }),
    })
    try {
      for await (const event of eventsIn(body, transport.timeoutMs)) {
        if (event.id <= last) continue
        last = event.id
        retry = 0
        yield event
        if (isFinal(event.type)) return
      }
    } catch (error) {
      lost = error
    }
    // The stream of a job that has ended is complete unless the connection was lost. A client that has the last event already sees an empty one.
    if (lost === undefined && isOver) return
    isOver = isFinal((await transport.json<Job>(path, signal ? { signal } : {})).status)
    if (isOver && lost === undefined) continue
    await transport.beforeRetry(lost ?? new ConnectionError('the stream of events ended early'), retry, signal)
    retry += 1
  }
}

/** The events of one connection. The service sends a comment every 15 seconds, so a longer silence means that the connection is lost. */
async function* eventsIn(body: ReadableStream<Uint8Array>, silentMs: number): AsyncGenerator<JobEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await within(silentMs, reader.read())
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    // The connection is closed also where the caller leaves its loop. A connection that is lost cannot be closed again.
    await reader.cancel().catch(() => undefined)
  }
}

function parseEvent(block: string): JobEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    const before = fields.get(name)
    fields.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value)
  }
  const text = fields.get('data')
  if (text === undefined) return undefined
  const { at, ...data } = JSON.parse(text) as JsonObject
  return { id: Number(fields.get('id')), type: fields.get('event') ?? 'message', at: Number(at), data }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ConnectionError('the service was silent for too long'))
    }, ms)
  })
  try {
    return await Promise.race([work, silence])
  } catch (error) {
    throw error instanceof ConnectionError
      ? error
      : new ConnectionError('the connection to the service was lost', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
