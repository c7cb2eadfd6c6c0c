import type { JsonObject } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { openRun } from '../../reading/runs/run-reference.js'

/** Reports the fields in which the requests of two runs differ. */
export async function whyMissJson(store: Store, a: string, b: string): Promise<JsonObject> {
  const [first, second] = [await openRun(store, a), await openRun(store, b)]
  return JSON.parse(JSON.stringify(await store.requests.whyMiss(first.run, second.run))) as JsonObject
}
