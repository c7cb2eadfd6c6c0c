import { programSettings } from '../config/option.js'
import { plainOptions } from '../config/options.js'
import type { EvaluateOptions } from './evaluate-options.js'
import { valueSettings } from './value-settings.js'
import type { EvalSettings } from '../evaluation/settings.js'

/** Converts checked {@link EvaluateOptions} to the settings of an evaluation. */
export async function settingsOf(options: EvaluateOptions, store: string): Promise<EvalSettings> {
  return {
    store,
    includePaths: options.includePaths ?? [],
    plugins: options.plugins ?? [],
    genKwargs: options.genKwargs ?? {},
    retryFailed: false,
    newRun: false,
    fresh: false,
    codeKey: 'revision',
    ...programSettings(plainOptions, options),
    ...(await valueSettings(options)),
  }
}
