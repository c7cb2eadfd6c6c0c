import { PipelineError } from '../../../../base/errors.js'
import type { BackendContext } from '../../define-backend.js'
import { withQuery } from '../http/protocol/endpoint.js'
import { proxyFor } from '../http/wire/proxy.js'
import type { Engine } from './engine.js'
import { untilReady, type Look } from './health.js'

const attachSeconds = 30

/**
 * Waits while an engine that others started loads its model, or does not listen yet.
 *
 * @throws PipelineError `engine` where nobody answers at its address.
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
    /** What to do to have one started: behind `or`. */
    readonly toStart: string
    readonly seconds?: number | undefined
    readonly proxy?: string | undefined
  },
  { env, interrupted, note }: Pick<BackendContext, 'env' | 'interrupted' | 'note'>,
): Promise<void> {
  // What stands between answers for an engine that is not there.
  if (URL.canParse(baseUrl) && proxyFor(new URL(baseUrl).origin, proxy, env) !== undefined) return
  const url = healthUrl(baseUrl, healthPath)
  // Whatever else answers, a proxy or an older version, may know nothing of its health.
  const isUp = (look: Look) => (look.type === 'answered' ? look.status !== 503 : look.type === 'silent')
  const seen = await untilReady(url, isUp, {
    waitMs: seconds * 1000,
    signal: interrupted ?? new AbortController().signal,
    onWait: problem => note?.(`waiting for ${id} at ${baseUrl}: ${problem}`),
  })
  if (seen === undefined || interrupted?.aborted === true) return
  throw new PipelineError(
    'engine',
    `${id}: not ready at ${baseUrl} within ${seconds} s: ${seen}. Start it there, give it longer with startup_timeout=SECONDS, or ${toStart} to have one started.`,
  )
}

/** Beside the API, with the query that the address has. */
function healthUrl(baseUrl: string, healthPath: string): string {
  const [address = '', query] = baseUrl.split('?', 2)
  return withQuery(address.replace(/\/v1(\/.*)?$/, '').replace(/\/+$/, '') + healthPath, query)
}
