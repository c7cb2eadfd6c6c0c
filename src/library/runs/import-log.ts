/** Imports the logs of other tools. */
import { PipelineError } from '../../../base/errors/errors.js'
import type { OnConflict } from '../../../cache/bundle/portable.js'
import { landLog, type LandedRun } from '../../exchange/land-log.js'
import { findReader } from '../../exchange/readers.js'
import { renamedLog, type NewNames } from '../../exchange/renamed-log.js'
import { waiting, type StoreOption } from './runs.js'
import { withGivenStore } from '../stores.js'

/** Options for importing another tool's log. */
export interface ImportLogOptions extends StoreOption, NewNames {
  readonly from?: string
  readonly onConflict?: OnConflict
}

/**
 * Adds the log of another tool to a store: one run for each model in it. Its answers are never used for requests of other runs.
 *
 * @param options `from`: the tool that wrote the log. @default recognised by the files
 * `tasks` and `metrics`: new names by the log's names, such as `{ metrics: { choice: 'acc' } }`. A text renames the log's only task.
 */
export async function importLog(
  path: string,
  { from, onConflict = 'refuse', store, ...names }: ImportLogOptions = {},
): Promise<readonly LandedRun[]> {
  const reader = await findReader(path, from)
  if (reader === undefined) throw new PipelineError('usage', `${path} is no log of a known tool`)
  const log = renamedLog(await reader.open(path), names)
  return withGivenStore(await store, { waiting }, opened => landLog(opened, log, { onConflict }))
}
