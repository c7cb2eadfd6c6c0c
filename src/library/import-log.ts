/** Imports the logs of other tools. */
import { PipelineError } from '../../base/errors/errors.js'
import type { OnConflict } from '../../cache/bundle/portable.js'
import { landLog, type LandedRun } from '../exchange/land-log.js'
import { readerOf } from '../exchange/readers.js'
import { waiting, type StoreOption } from './runs.js'
import { withGivenStore } from './stores.js'

/**
 * Adds the log of another tool to a store: one run for each model in it. Its answers are never used for requests of other runs.
 *
 * @param options `from`: the tool that wrote the log. @default recognised by the files
 */
export async function importLog(
  path: string,
  {
    from,
    onConflict = 'refuse',
    store,
  }: StoreOption & { readonly from?: string; readonly onConflict?: OnConflict } = {},
): Promise<readonly LandedRun[]> {
  const reader = await readerOf(path, from)
  if (reader === undefined) throw new PipelineError('usage', `${path} is no log of a known tool`)
  const log = await reader.open(path)
  return withGivenStore(await store, { waiting }, opened => landLog(opened, log, { onConflict }))
}
