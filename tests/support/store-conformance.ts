import type { Store } from '../../cache/store.js'
import { describeDocs, describeRequests, describeRuns } from './store-conformance/asking.js'
import { describeJobEnds } from './store-conformance/job-ends.js'
import { describeJobs } from './store-conformance/jobs.js'
import { describeJudging } from './store-conformance/judging.js'
import { describeSharing } from './store-conformance/sharing.js'
import { describeUpkeep } from './store-conformance/upkeep.js'

/** How the suite works on one kind of store. A world is one store, empty at the beginning of a test and gone after it. */
export interface StoreWorld {
  /**
   * Opens another handle on the store, closed when the test is over.
   *
   * @param owner the process that the handle belongs to; handles of different owners contend for leases. @default 'first'
   */
  open(owner?: string): Promise<Store>
  /** Ends an owner without closing its handles, as SIGKILL does. Its leases are free as soon as this resolves. */
  kill(owner: string): Promise<void>
}

/** The contract that every store keeps. Each `describe` is one group of the interface in `cache/store/`. */
export function storeConformance(makeWorld: () => Promise<StoreWorld>): void {
  describeRuns(makeWorld)
  describeDocs(makeWorld)
  describeRequests(makeWorld)
  describeSharing(makeWorld)
  describeJudging(makeWorld)
  describeJobs(makeWorld)
  describeJobEnds(makeWorld)
  describeUpkeep(makeWorld)
}
