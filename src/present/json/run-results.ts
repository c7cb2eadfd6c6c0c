import type { Json } from '../../../base/values/canonical-json.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import { modelPrice } from '../../cost/model-price.js'
import { resultsJson } from './results-json.js'
import { runStats } from '../../reading/runs/run-stats.js'

/** The results JSON of a run, as `pipeline report --json` prints it. */
export async function runResults(store: Store, { run, judgement }: OpenedRun): Promise<Json> {
  const counts = await store.runs.counts(run)
  const failures = await store.requests.failures(run)
  const figures = await runStats(store, run, { price: await modelPrice(run, undefined), counts })
  return resultsJson({ run, counts, failures, ...(judgement && { judgement }), figures })
}
