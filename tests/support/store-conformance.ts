import { describeDocs, describeRequests, describeRuns } from './store-conformance/asking.js'
import { describeJobEnds } from './store-conformance/job-ends.js'
import { describeJobs } from './store-conformance/jobs.js'
import { describeDraws } from './store-conformance/draws.js'
import { describeJudging } from './store-conformance/judging.js'
import { describeGarbage } from './store-conformance/garbage.js'
import { describeProgress } from './store-conformance/progress.js'
import { describeLabels } from './store-conformance/labels.js'
import { describeLeaseTraces } from './store-conformance/lease-traces.js'
import { describeSharing } from './store-conformance/sharing.js'
import { describeUpkeep } from './store-conformance/upkeep.js'
import type { StoreWorld } from './store-conformance/world.js'

export type { StoreWorld }

/** The contract of every store. Each `describe` is one group of the interface in `cache/store/`. */
export function storeConformance(makeWorld: () => Promise<StoreWorld>): void {
  describeRuns(makeWorld)
  describeDocs(makeWorld)
  describeRequests(makeWorld)
  describeSharing(makeWorld)
  describeLeaseTraces(makeWorld)
  describeProgress(makeWorld)
  describeJudging(makeWorld)
  describeDraws(makeWorld)
  describeLabels(makeWorld)
  describeJobs(makeWorld)
  describeJobEnds(makeWorld)
  describeUpkeep(makeWorld)
  describeGarbage(makeWorld)
}
