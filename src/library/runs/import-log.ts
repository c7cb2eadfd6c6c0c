/** Imports the logs of other tools. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { onConflicts, type OnConflict } from '../../../cache/bundle/portable.js'
import { landLog, type LandedRun } from '../../exchange/land-log.js'
import { findReader } from '../../exchange/readers.js'
import { renamedLog, type NewNames } from '../../exchange/renamed-log.js'
import { withGivenStore } from '../stores.js'
import { checkOptions, fields, storeField, type OptionFields } from '../options/check-options.js'
import { waiting, type StoreOption } from './runs.js'

/** Options for importing another tool's log. */
export interface ImportLogOptions extends StoreOption, NewNames {
  readonly from?: string
  readonly onConflict?: OnConflict
}

const names = z.record(z.string(), z.string()).describe('an object of names')
const importFields = {
  ...storeField,
  from: fields.text,
  onConflict: fields.choice(onConflicts),
  tasks: z.union([z.string(), names]).describe('a name, or an object of names').optional(),
  metrics: names.optional(),
} satisfies OptionFields<ImportLogOptions>

/**
 * Adds the log of another tool to a store: one run for each model in it. Its answers are never used for requests of other runs.
 *
 * @param options `from`: the tool that wrote the log. @default recognised by the files
 * `tasks` and `metrics`: new names by the log's names, such as `{ metrics: { choice: 'acc' } }`. A text renames the log's only task.
 */
export async function importLog(path: string, options: ImportLogOptions = {}): Promise<readonly LandedRun[]> {
  checkOptions(options, importFields)
  const { from, onConflict = 'refuse', store, ...newNames } = options
  const reader = await findReader(path, from)
  if (reader === undefined) throw new PipelineError('usage', `${path} is no log of a known tool`)
  const log = renamedLog(await reader.open(path), newNames)
  return withGivenStore(await store, { waiting }, opened => landLog(opened, log, { onConflict }))
}
