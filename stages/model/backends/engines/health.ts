import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, PipelineError, systemCode } from '../../../../base/errors/errors.js'
import type { BackendContext } from '../../define-backend.js'
import { withQuery } from '../http/protocol/endpoint.js'
import { proxyFor } from '../http/wire/proxy.js'
import type { Engine } from './engine.js'

const attachSeconds = 30

/**
 * Waits until an engine that was started elsewhere listens and has loaded its model.
 *
 * @throws PipelineError `engine` if it is not ready in time
 */
export async function untilAttached(
  { id, healthPath }: Pick<Engine, 'id' | 'healthPath'>,
  {
    baseUrl,
    toStart,
    seconds = attachSeconds,
    proxy,
  }: {
    readonly baseUrl: string
    /** Advice on how to have an engine started. The message puts it after `or`. */
    readonly toStart: string
    readonly seconds?: number | undefined
    readonly proxy?: string | undefined
  },
  { env, interrupted, note }: Pick<BackendContext, 'env' | 'interrupted' | 'note'>,
): Promise<void> {
  // A proxy answers even if the engine is not there.
  if (URL.canParse(baseUrl) && proxyFor(new URL(baseUrl).origin, proxy, env) !== undefined) return
  const url = healthUrl(baseUrl, healthPath)
  // Another server, such as an older version, may have no health path.
  const isUp = (look: Look) => (look.type === 'answered' ? look.status !== 503 : look.type === 'silent')
  const lastProblem = await untilReady(url, isUp, {
    waitMs: seconds * 1000,
    signal: interrupted ?? new AbortController().signal,
    onWait: problem => note?.(`waiting for ${id} at ${baseUrl}: ${problem}`),
  })
  if (lastProblem === undefined || interrupted?.aborted === true) return
  throw new PipelineError(
    'engine',
    `${id}: not ready at ${baseUrl} within ${seconds} s: ${lastProblem}. Start it there, give it longer with startup_timeout=SECONDS, or ${toStart} to have one started.`,
  )
}

/** Builds the health URL: it stands beside the API and keeps the query of the address. */
function healthUrl(baseUrl: string, healthPath: string): string {
  const [address = '', query] = baseUrl.split('?', 2)
  return withQuery(address.replace(/\/v1(\/.*)?$/, '').replace(/\/+$/, '') + healthPath, query)
}

const firstPauseMs = 50
const longestPauseMs = 2_000
const longestLookMs = 3_000

/** The result of one look at a server's health. */
export type Look =
  | { readonly type: 'answered'; readonly status: number }
  /** No server listens at the address. */
  | { readonly type: 'refused'; readonly problem: string }
  /** The connection succeeded, but there was no answer. */
  | { readonly type: 'silent'; readonly problem: string }

interface HealthTimeouts {
  /** The total time to wait, in milliseconds. */
  readonly waitMs: number
  /** Aborted when waiting makes no sense any more. */
  readonly signal: AbortSignal
  /** Called once with the result, if the first look shows that the server is not ready. */
  readonly onWait?: (seen: string) => void
}

/**
 * Looks at a server repeatedly, at growing intervals, until it is ready.
 *
 * @returns undefined when it is ready, else the result of the last look
 */
export async function untilReady(
  url: string,
  isReady: (look: Look) => boolean,
  { waitMs, signal, onWait }: HealthTimeouts,
): Promise<string | undefined> {
  const enough = AbortSignal.timeout(waitMs)
  const either = AbortSignal.any([signal, enough])
  let pause = firstPauseMs
  let lastProblem = 'nobody looked'
  for (let looks = 0; !either.aborted; looks += 1) {
    const look = await lookAt(url, AbortSignal.any([signal, AbortSignal.timeout(longestLookMs)]))
    if (isReady(look)) return undefined
    lastProblem = look.type === 'answered' ? `it answers with status ${look.status}` : look.problem
    if (looks === 0) onWait?.(lastProblem)
    await sleep(pause, undefined, { signal: either }).catch(() => undefined)
    pause = Math.min(pause * 1.3, longestPauseMs)
  }
  return lastProblem
}

/** Error codes of a missing host, or of a port without a server. */
const absent: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

async function lookAt(url: string, signal: AbortSignal): Promise<Look> {
  try {
    return { type: 'answered', status: await requestStatus(url, signal) }
  } catch (error) {
    const code = systemCode(error) ?? ''
    return { type: absent.has(code) ? 'refused' : 'silent', problem: messageOf(error) || code || 'it does not answer' }
  }
}

/** Requests without `fetch`, which rejects some ports as browsers do. */
const requestStatus = (url: string, signal: AbortSignal): Promise<number> =>
  new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? getSecure : getPlain
    get(url, { signal, agent: false }, answer => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    }).on('error', reject)
  })
