import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { createInterface } from 'node:readline'
import { startCli, type Ended } from './cli.js'

/** A server of the built program. */
export interface ServiceProcess {
  readonly origin: string
  readonly port: number
  readonly child: ChildProcess
  readonly told: () => string
  readonly ended: Promise<Ended>
}

/** Starts `pipeline serve`, and resolves when it listens. Rejects if it ends before. */
export async function startService(args: readonly string[], port = 0): Promise<ServiceProcess> {
  const { child, told, ended } = startCli(['serve', '--port', String(port), ...args])
  const announced = new Promise<string>(resolve => {
    createInterface({ input: child.stdout! }).on('line', line => {
      const [, origin] = /(http:\/\/[\w.]+:\d+)/.exec(line) ?? []
      if (origin !== undefined) resolve(origin)
    })
  })
  const origin = await Promise.race([
    announced,
    ended.then(end => Promise.reject(new Error(`the server ended before it listened: ${JSON.stringify(end)}`))),
  ])
  return { origin, port: Number(new URL(origin).port), child, told, ended }
}

/** An event as a client received it. */
export interface SeenEvent {
  readonly id: number
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Submits a job with an idempotency key until a server says that it has it. @returns its id */
export async function submitUntilAccepted(
  origin: string,
  { key, body }: { readonly key: string; readonly body: object },
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    try {
      const answer = await fetch(`${origin}/evaluate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body),
        signal,
      })
      const text = await answer.text()
      if (!answer.ok) throw new TypeError(`the job was refused: ${text}`)
      return (JSON.parse(text) as { job_id: string }).job_id
    } catch (error) {
      if (signal.aborted || (error instanceof TypeError && error.message.startsWith('the job was refused'))) throw error
      await pause(20)
    }
  }
}

const finalTypes = new Set(['completed', 'failed', 'cancelled'])

/** Follows a job until its final event. It reconnects with the id of the last event, as `EventSource` does. */
export async function followJob(
  origin: string,
  id: string,
  { onEvent, signal }: { readonly onEvent: (event: SeenEvent) => void; readonly signal: AbortSignal },
): Promise<void> {
  let last = 0
  for (;;) {
    try {
      const answer = await fetch(`${origin}/jobs/${id}/events`, {
        headers: last === 0 ? {} : { 'last-event-id': String(last) },
        signal,
      })
      if (answer.status === 404) throw new Error(`job ${id} is lost`)
      for await (const event of eventsIn(answer)) {
        onEvent(event)
        last = event.id
        if (finalTypes.has(event.type)) return
      }
    } catch (error) {
      if (signal.aborted || (error instanceof Error && error.message.endsWith('is lost'))) throw error
    }
    await pause(20)
  }
}

/** Reads server-sent events. The part of an event that a broken connection leaves does not count. */
async function* eventsIn(answer: Response): AsyncGenerator<SeenEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      )
      const data = fields.get('data')
      if (data === undefined) continue
      yield {
        id: Number(fields.get('id')),
        type: fields.get('event') ?? '',
        data: JSON.parse(data) as SeenEvent['data'],
      }
    }
  }
}
