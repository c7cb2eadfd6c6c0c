import { processEnvironment } from '../../config/variables.js'
import { programSettings } from '../../config/option.js'
import { plainOptions } from '../../config/options.js'
import type { EvaluateOptions } from './evaluate-options.js'
import { valueSettings } from '../values/value-settings.js'
import type { EvalSettings } from '../../config/settings.js'

/** Converts checked {@link EvaluateOptions} to the settings of an evaluation. */
export async function makeEvalSettings(options: EvaluateOptions, store: string): Promise<EvalSettings> {
  return {
    store,
    env: processEnvironment(),
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
