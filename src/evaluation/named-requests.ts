/** Asks only the requests of docs that a person named, for `resume --docs`. */
import { compileNamePatterns } from '../../base/text/name-patterns.js'
import type { Run } from '../../cache/records.js'
import type { AskingStore, LeaseQuery } from '../../cache/store.js'

/** Rows that one search reads, since few of them may be meant. */
const fewestRows = 1_000

/** Leases no request of other docs, so that these stay open for a later command. */
export function askOnlyDocs(store: AskingStore, docs: readonly string[]): AskingStore {
  const { requests } = store
  const { findHits } = compileNamePatterns(docs)
  const choose =
    ({ asked: { tasks } }: Run): NonNullable<LeaseQuery['isMeant']> =>
    (task, doc) =>
      findHits(tasks[task]?.name ?? '', doc).length > 0
  return {
    dataVersion: () => store.dataVersion(),
    requests: {
      lease: (run, query) =>
        requests.lease(run, { ...query, limit: Math.max(query.limit, fewestRows), isMeant: choose(run) }),
      lastFailure: () => requests.lastFailure(),
      holds: leases => requests.holds(leases),
      commitResponse: (...given) => requests.commitResponse(...given),
      commitFailure: (...given) => requests.commitFailure(...given),
      release: leases => requests.release(leases),
    },
  }
}
