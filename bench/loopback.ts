import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'

/** The behaviour of a loopback server. Times are in milliseconds. */
export type ServerKind =
  | {
      readonly kind: 'steady'
      readonly latencyMs: number
      /** CPU time for each request beside reading it. Other requests wait meanwhile. */
      readonly workMs?: number
    }
  /** Lognormal latencies, the 99th percentile twenty times the median. */
  | { readonly kind: 'heavy-tail'; readonly medianMs: number }
  /** Answers a number of requests per second in 50 to 200 ms, and rejects the others with `Retry-After`. It counts by the second, or by tokens if `burst` says how many it keeps. */
  | { readonly kind: 'rate-limit'; readonly perSecond: number; readonly burst?: number }
  /** Answers a number of concurrent requests, and rejects the others with `Retry-After`. The number changes over time. */
  | {
      readonly kind: 'capacity'
      readonly latencyMs: number
      readonly slots: readonly number[]
      readonly eachMs: number
    }

/** A model server in a process of its own. */
export interface Loopback {
  readonly origin: string
  /** Requests and bytes received since the last call. */
  stats(): Promise<{ readonly requests: number; readonly bytes: number }>
  /** The time and status at which each request ended since the last call, in milliseconds after the first one. */
  log(): Promise<readonly (readonly [at: number, status: number])[]>
  stop(): void
}

/** Starts a model server of a kind on a free port of this machine. */
export async function startLoopback(kind: ServerKind): Promise<Loopback> {
  const main = fileURLToPath(new URL('./loopback-server.js', import.meta.url))
  const child = spawn(process.execPath, [main, JSON.stringify(kind)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    stats: async () => (await (await fetch(`${origin}/stats`)).json()) as { requests: number; bytes: number },
    log: async () => (await (await fetch(`${origin}/log`)).json()) as [number, number][],
    stop: () => void child.kill(),
  }
}

/** Measures the requests per second of a minimal client with `slots` requests in flight. Each body is created and each answer is parsed. */
export async function bareRate(
  { origin }: Loopback,
  load: {
    readonly requests: number
    readonly slots: number
    readonly body: (index: number) => string | Promise<string>
  },
): Promise<number> {
  const pool = new Pool(origin, { connections: load.slots })
  let next = 0
  const startedAt = performance.now()
  const slot = async (): Promise<void> => {
    while (next < load.requests) {
      const { body } = await pool.request({
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: await load.body(next++),
      })
      await body.json()
    }
  }
  await Promise.all(Array.from({ length: load.slots }, slot))
  const spent = (performance.now() - startedAt) / 1000
  await pool.close()
  return load.requests / spent
}
