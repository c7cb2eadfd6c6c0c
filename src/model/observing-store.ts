import type { ResponseKey } from '../../cache/digest.js'
import type { Failure } from '../../cache/records.js'
import type { AskingStore, Store, StoredAnswer } from '../../cache/store.js'

/** The answer or the failure of a request. */
export type Settled = Pick<StoredAnswer, 'body'> | { readonly failure: Failure }

/** Wraps a store and reports the answer or failure of each request as soon as it is durable. */
export function observingStore(store: Store, onSettled: (key: ResponseKey, settled: Settled) => void): AskingStore {
  return {
    dataVersion: () => store.dataVersion(),
    ...(store.slowPollMs !== undefined && { slowPollMs: store.slowPollMs }),
    requests: {
      lease: (run, query) => store.requests.lease(run, query),
      lastFailure: () => store.requests.lastFailure(),
      release: leases => store.requests.release(leases),
      holds: leases => store.requests.holds(leases),
      commitResponse: async (lease, body, meta, onStored) => {
        const isFirst = await store.requests.commitResponse(lease, body, meta, onStored)
        onSettled(lease.key, isFirst ? { body } : ((await store.requests.answerOf(lease.key)) ?? { body }))
        return isFirst
      },
      commitFailure: async (lease, failure) => {
        await store.requests.commitFailure(lease, failure)
        onSettled(lease.key, { failure })
      },
    },
  }
}
