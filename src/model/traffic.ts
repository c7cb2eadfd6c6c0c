import { z } from 'zod'
import { canonicalJson } from '../../base/canonical-json.js'
import type { ModelIdentity } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { Concurrency } from '../../stages/model/concurrency.js'
import { AdaptiveLimiter, type LimiterState } from '../../stages/model/schedule/limits/adaptive-limiter.js'
import { realClock } from '../clock.js'

/** What was learnt of a server longer ago is not gone on from. */
const memoryMs = 24 * 3_600_000

/** Who is sent to, as far as limits depend on it. */
export interface Recipient {
  readonly identity: ModelIdentity
  /** The arguments, defaults filled in; may hold a key. */
  readonly args: Readonly<Record<string, unknown>>
  readonly concurrency: Concurrency
  /** Whether somebody asked for just that. */
  readonly isConcurrencyGiven: boolean
}

const open = new Map<string, { readonly traffic: Promise<AdaptiveLimiter>; readonly concurrency: string }>()

/**
 * The traffic to a model: one in this process for all who ask the same one with the same key, so that a judge's calls and a
 * run's share what the server bears. Whoever asks for a concurrency of another kind has a traffic of their own.
 */
export function limiterFor(recipient: Recipient, store: Pick<Store, 'values'>): Promise<AdaptiveLimiter> {
  const name = canonicalJson([trafficName(recipient), text(recipient.args['api_key']) ?? null])
  const { concurrency: asked } = recipient
  const concurrency = canonicalJson(typeof asked === 'number' ? asked : { ...asked })
  const known = open.get(name)
  if (known !== undefined && (!recipient.isConcurrencyGiven || known.concurrency === concurrency)) return known.traffic
  const traffic = openLimiter(recipient, store)
  open.set(name, { traffic, concurrency })
  // What could not be opened is tried again by whoever asks next.
  traffic.catch(() => open.delete(name))
  return traffic
}

/** Keeps what was learnt for the next process. */
export const keepLimiterState =
  (recipient: Recipient, store: Pick<Store, 'values'>) =>
  (state: LimiterState): Promise<void> =>
    store.values.set(trafficName(recipient), { v: 1, at: realClock.wallNow(), ...plain(state) })

async function openLimiter(recipient: Recipient, store: Pick<Store, 'values'>): Promise<AdaptiveLimiter> {
  const { concurrency } = recipient
  const from = remembered.safeParse(await store.values.get(trafficName(recipient)))
  const isFresh = from.success && realClock.wallNow() - from.data.at < memoryMs
  return new AdaptiveLimiter({ concurrency, clock: realClock, ...(isFresh ? { from: withoutAbsent(from.data) } : {}) })
}

/** Provider, address and model: nothing of the key, and no path that may hold a name or a token. */
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
