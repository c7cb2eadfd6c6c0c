import { PipelineError } from '../../base/errors.js'
import type { Run, StoredConfig } from '../../cache/records.js'
import type { EvalSettings } from '../evaluation/settings.js'
import { configSchema } from './config-schema.js'
import { evalSettings, type EvalFlags } from './eval-settings.js'
import { storedOf } from './option.js'
import { allOptions } from './options.js'
import { withoutSecretValues } from './secrets.js'
import { withAbsolutePaths } from './stored-paths.js'

/**
 * The settings as they are kept with a run, in the words of a configuration file, without secrets. What says how the
 * line was run (retries, limits, new run) is no part of what was asked, and is not kept.
 *
 * @param cwd the working directory, from which relative paths are meant; they are stored as absolute ones
 * @param models who the models are: see {@link withAbsolutePaths}
 */
export function storedConfig(
  settings: EvalSettings,
  cwd: string,
  models: Parameters<typeof withAbsolutePaths>[2],
): StoredConfig {
  const { includePaths: includePath, plugins: plugin } = settings
  const config = { cwd, ...storedOf(allOptions, { ...settings, includePath, plugin }, cwd) }
  // Through JSON, since the library's caller may give values that have another form there.
  const stored = JSON.parse(JSON.stringify(withoutSecretValues(config))) as StoredConfig
  return withAbsolutePaths(stored, cwd, models)
}

/**
 * The settings that go on with a run. What `flags` give wins: secrets, which are not kept, and how it is run.
 *
 * @throws PipelineError where the run was not started by an evaluation that this version knows.
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
      `run ${run.name}: its configuration was not kept: start it again with pipeline eval`,
    )
  }
  const { repeat } = run.asked
  return {
    ...evalSettings(flags, parsed.data, env),
    toolFolder: folder,
    resume: { id: run.id, name: run.name, ...(repeat === undefined ? {} : { repeat }) },
  }
}
