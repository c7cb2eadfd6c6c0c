import { PipelineError } from '../../../base/errors/errors.js'
import { command } from '../../../base/errors/option-words.js'
import type { Run, StoredConfig } from '../../../cache/records.js'
import type { EvalSettings } from '../settings.js'
import { configSchema } from '../file/config-schema.js'
import { evalSettings, type EvalFlags } from '../eval-settings.js'
import { makeStoredSettings } from '../option.js'
import { allOptions } from '../options.js'
import { withoutSecretValues } from '../secrets.js'
import { withAbsolutePaths } from './stored-paths.js'

/**
 * Converts settings to the form that is stored with a run: keys of a configuration file, without secrets. Options that only concern the command
 * (retries, limits, new run) are not stored.
 *
 * @param cwd the working directory; relative paths are stored as absolute ones
 * @param models the identities of the models, see {@link withAbsolutePaths}
 */
export function storedConfig(
  settings: EvalSettings,
  cwd: string,
  models: Parameters<typeof withAbsolutePaths>[2],
): StoredConfig {
  const { includePaths: includePath, plugins: plugin } = settings
  const config = { cwd, ...makeStoredSettings(allOptions, { ...settings, includePath, plugin }, cwd) }
  // The conversion through JSON normalizes values that a program passed.
  const stored = JSON.parse(JSON.stringify(withoutSecretValues(config))) as StoredConfig
  return withAbsolutePaths(stored, cwd, models)
}

/**
 * Restores the stored settings of a run. Flags override them, and supply secrets and options of the command, which are not stored.
 *
 * @throws PipelineError if this version does not know the run's settings
 */
export function resumedSettings(
  run: Run,
  flags: EvalFlags,
  env: Readonly<Record<string, string | undefined>>,
): EvalSettings {
  const { cwd, ...config } = run.provenance.config
  const folder = cwd ?? process.cwd()
  // Runs of older versions have relative paths.
  const parsed = configSchema.safeParse(withAbsolutePaths(config, folder, { model: run.asked.model }))
  if (!parsed.success || parsed.data.model === undefined) {
    throw new PipelineError(
      'store',
      `run ${run.name}: its configuration was not kept: start it again with ${command('eval')}`,
    )
  }
  return {
    ...evalSettings(flags, parsed.data, env),
    toolFolder: folder,
    resume: makeResumeSetting(run),
  }
}

/** Makes the setting that continues an existing run. */
export const makeResumeSetting = ({ id, name, asked: { repeat } }: Run): NonNullable<EvalSettings['resume']> => ({
  id,
  name,
  ...(repeat === undefined ? {} : { repeat }),
})
