import type { ResponseKey } from '../../cache/digest.js'
import type { Failure } from '../../cache/records.js'
import type { AskingStore, Store, StoredAnswer } from '../../cache/store.js'

/** What became of a request, as far as whoever waits for it wants to know. */
export type Settled = Pick<StoredAnswer, 'body'> | { readonly failure: Failure }

/** A store that tells what became of each request as soon as that is durable. */
export function observingStore(store: Store, onSettled: (key: ResponseKey, settled: Settled) => void): AskingStore {
  return {
    dataVersion: () => store.dataVersion(),
    requests: {
      lease: (run, query) => store.requests.lease(run, query),
      release: leases => store.requests.release(leases),
      holds: lease => store.requests.holds(lease),
      commitResponse: async (lease, body, meta, kept) => {
        const isFirst = await store.requests.commitResponse(lease, body, meta, kept)
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
