import { batchSettings } from '../config/batches.js'
import { hedgeIn, hedgeSettings } from '../config/hedge.js'
import { durationIn, limitSettings } from '../config/limits.js'
import { present } from '../../base/present.js'
import { selectionSettings } from '../config/selection.js'
import { toolSettings } from '../config/tool-servers.js'
import type { EvaluateOptions } from './evaluate-options.js'
import { valueSettings } from './value-settings.js'
import type { EvalSettings } from '../evaluation/settings.js'

/** The options of {@link EvaluateOptions} in the words of the composition. They are checked already. */
export async function settingsOf(options: EvaluateOptions, store: string): Promise<EvalSettings> {
  const { samples, hedge, maxTime, ...asked } = options
  const time = maxTime === undefined ? {} : { maxTime: typeof maxTime === 'number' ? maxTime : durationIn(maxTime) }
  return {
    store,
    includePaths: asked.includePaths ?? [],
    plugins: asked.plugins ?? [],
    ...(await valueSettings(options)),
    genKwargs: asked.genKwargs ?? {},
    retryFailed: asked.retryFailed ?? false,
    newRun: asked.newRun ?? false,
    fresh: asked.fresh ?? false,
    codeKey: asked.codeKey ?? 'revision',
    ...present({
      parity: asked.parity,
      numFewshot: asked.numFewshot,
      fewshotAsMultiturn: asked.fewshotAsMultiturn,
      fewshotSeed: asked.fewshotSeed,
      forceSimple: asked.forceSimple,
      concurrency: asked.concurrency,
      maxConcurrency: asked.maxConcurrency,
      order: asked.order,
      systemInstruction: asked.systemInstruction,
      repeats: asked.repeats,
      codeVersion: asked.codeVersion,
    }),
    ...selectionSettings(asked, {}),
    ...present({ samples }),
    ...hedgeSettings(typeof hedge === 'string' ? hedgeIn(hedge) : hedge, undefined),
    ...toolSettings(asked, {}),
    ...batchSettings(asked, {}),
    ...limitSettings({ ...asked, ...time }, {}),
  }
}
