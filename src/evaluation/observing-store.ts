import type { ResponseKey } from '../../cache/digest.js'
import type { Failure } from '../../cache/records.js'
import type { Store, StoredAnswer } from '../../cache/store.js'

/** What became of a request, as far as whoever waits for it wants to know. */
export type Settled = Pick<StoredAnswer, 'body'> | { readonly failure: Failure }

type AskingStore = Pick<Store, 'lease' | 'commitResponse' | 'commitFailure' | 'release' | 'holds' | 'dataVersion'>

/** A store that tells what became of each request as soon as that is durable. */
export function observingStore(store: Store, onSettled: (key: ResponseKey, settled: Settled) => void): AskingStore {
  return {
    lease: (run, query) => store.lease(run, query),
    release: leases => store.release(leases),
    holds: lease => store.holds(lease),
    dataVersion: () => store.dataVersion(),
    commitResponse: async (lease, body, meta, kept) => {
      const isFirst = await store.commitResponse(lease, body, meta, kept)
      onSettled(lease.key, isFirst ? { body } : ((await store.answerOf(lease.key)) ?? { body }))
      return isFirst
    },
    commitFailure: async (lease, failure) => {
      await store.commitFailure(lease, failure)
      onSettled(lease.key, { failure })
    },
  }
}
