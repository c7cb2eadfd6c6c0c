import { z } from 'zod'
import { canonicalJson } from '../../base/values/canonical-json.js'
import type { ModelIdentity } from '../../cache/records.js'
import { sha256 } from '../../cache/digest.js'
import type { Store } from '../../cache/store.js'
import type { Concurrency } from '../../stages/model/concurrency.js'
import { AdaptiveLimiter } from '../../stages/model/schedule/limits/adaptive-limiter.js'
import type { LimiterState } from '../../stages/model/schedule/limits/limiter-client.js'
import { LimitShare } from '../../stages/model/schedule/limits/limit-share.js'
import { realClock } from '../clock.js'
import { shareTraffic } from './shared-traffic.js'

/** Learnt limits of a server are used again for one day. */
const memoryMs = 24 * 3_600_000

/** The receiver of requests, as far as its limits depend on it. */
export interface Recipient {
  readonly identity: ModelIdentity
  /** The arguments with defaults; may contain an API key. */
  readonly args: Readonly<Record<string, unknown>>
  readonly concurrency: Concurrency
  /** True if the user set the concurrency. */
  readonly isConcurrencyGiven: boolean
}

/** The open rate limiters of one plan. */
export type Limiters = Map<string, { readonly traffic: Promise<AdaptiveLimiter>; readonly concurrency: string }>

/**
 * Opens the rate limiter of a model. A plan has one for each model and API key, so that a judge and a run share the server's limit. Another
 * concurrency setting gets its own limiter.
 *
 * @param open the plan's limiters
 */
export function limiterFor(
  recipient: Recipient,
  store: Pick<Store, 'values'>,
  open: Limiters,
): Promise<AdaptiveLimiter> {
  const name = canonicalJson([trafficName(recipient), text(recipient.args['api_key']) ?? null])
  const { concurrency: concurrencySetting } = recipient
  const concurrency = canonicalJson(
    typeof concurrencySetting === 'number' ? concurrencySetting : { ...concurrencySetting },
  )
  const entry = open.get(name)
  if (entry !== undefined && (!recipient.isConcurrencyGiven || entry.concurrency === concurrency)) return entry.traffic
  const traffic = openLimiter(recipient, store)
  open.set(name, { traffic, concurrency })
  // A limiter that failed to open is opened again by the next caller.
  traffic.catch(() => open.delete(name))
  return traffic
}

/** Stores the learnt limits for the next process. */
export const keepLimiterState =
  (recipient: Recipient, store: Pick<Store, 'values'>) =>
  (state: LimiterState): Promise<void> =>
    store.values.set(trafficName(recipient), { v: 1, at: realClock.wallNow(), ...plain(state) })

async function openLimiter(recipient: Recipient, store: Pick<Store, 'values'>): Promise<AdaptiveLimiter> {
  const { concurrency } = recipient
  const from = remembered.safeParse(await store.values.get(trafficName(recipient)))
  const isFresh = from.success && realClock.wallNow() - from.data.at < memoryMs
  const account = findAccount(recipient)
  const options = {
    ...{ concurrency, clock: realClock },
    ...(isFresh ? { from: withoutAbsent(from.data) } : {}),
  }
  if (account === undefined) return new AdaptiveLimiter(options)
  const share = new LimitShare()
  const limiter: AdaptiveLimiter = new AdaptiveLimiter({ ...options, share, onUse: isUsed => use(isUsed) })
  const use = shareTraffic({
    limiter,
    share,
    store,
    clock: realClock,
    name: `shared ${trafficName(recipient)} ${account}`,
  })
  return limiter
}

/** Identifies the account by a digest of its key. Undefined if the model is not at a server. */
function findAccount({ identity, args }: Recipient): string | undefined {
  const key = text(args['api_key'])
  if (key === undefined && (text(args['base_url']) ?? text(identity.args['base_url'])) === undefined) return undefined
  return sha256<'account'>(key ?? '').slice(0, 23)
}

/** Provider, origin and model. It contains no API key, and no path, which might contain a token. */
function trafficName({ identity, args }: Recipient): string {
  const address = text(args['base_url']) ?? text(identity.args['base_url'])
  const origin = address !== undefined && URL.canParse(address) ? new URL(address).origin : null
  return `traffic ${canonicalJson([identity.backend, origin, text(identity.args['model']) ?? null])}`
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const searchState = z.object({ value: z.number().positive(), ceiling: z.number().positive().optional() })
const remembered = z.object({
  at: z.number(),
  concurrency: searchState.optional(),
  pace: searchState.optional(),
})

const plain = ({ concurrency, pace }: LimiterState) => ({
  ...(concurrency === undefined ? {} : { concurrency: { ...concurrency } }),
  ...(pace === undefined ? {} : { pace: { ...pace } }),
})

function withoutAbsent({ concurrency, pace }: z.output<typeof remembered>): LimiterState {
  const search = ({ value, ceiling }: z.output<typeof searchState>) => ({
    value,
    ...(ceiling === undefined ? {} : { ceiling }),
  })
  return {
    ...(concurrency === undefined ? {} : { concurrency: search(concurrency) }),
    ...(pace === undefined ? {} : { pace: search(pace) }),
  }
}
