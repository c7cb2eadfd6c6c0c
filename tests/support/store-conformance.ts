import type { Store } from '../../cache/store.js'
import { describeDocs, describeRequests, describeRuns } from './store-conformance/asking.js'
import { describeJobEnds } from './store-conformance/job-ends.js'
import { describeJobs } from './store-conformance/jobs.js'
import { describeJudging } from './store-conformance/judging.js'
import { describeProgress } from './store-conformance/progress.js'
import { describeLabels } from './store-conformance/labels.js'
import { describeSharing } from './store-conformance/sharing.js'
import { describeUpkeep } from './store-conformance/upkeep.js'

/** A store for one test of the suite. It is empty at the beginning and removed afterwards. */
export interface StoreWorld {
  /**
   * Opens another handle on the store. It is closed when the test ends.
   *
   * @param owner the process of the handle. Handles of different owners compete for leases. @default 'first'
   */
  open(owner?: string): Promise<Store>
  /** Ends an owner without closing its handles, as SIGKILL does. Its leases are free when this resolves. */
  kill(owner: string): Promise<void>
}

/** The contract of every store. Each `describe` is one group of the interface in `cache/store/`. */
export function storeConformance(makeWorld: () => Promise<StoreWorld>): void {
  describeRuns(makeWorld)
  describeDocs(makeWorld)
  describeRequests(makeWorld)
  describeSharing(makeWorld)
  describeProgress(makeWorld)
  describeJudging(makeWorld)
  describeLabels(makeWorld)
  describeJobs(makeWorld)
  describeJobEnds(makeWorld)
  describeUpkeep(makeWorld)
}
