/** The options that send results to experiment trackers, and lmms-eval's spellings of them. */
import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { option } from '../option.js'
import { appendText, argumentMap, text, yesNo } from '../values/option-values.js'

/** A tracker with its settings, before they are checked. */
export interface NamedTracker {
  readonly name: string
  readonly given: string | Readonly<Record<string, Json>>
}

/** Splits `mlflow=http://…` at its first equals sign. */
export function readTracker(text: string): NamedTracker {
  const equals = text.indexOf('=')
  return equals < 0
    ? { name: text.trim(), given: '' }
    : { name: text.slice(0, equals).trim(), given: text.slice(equals + 1) }
}

const expected = 'a tracker such as mlflow=http://…, a list of them, or a mapping of settings by name'

const trackerList = z
  .union([z.string(), z.array(z.string()), z.record(z.string(), z.json())])
  .transform((value): readonly (string | NamedTracker)[] => {
    if (typeof value === 'string') return [value]
    if (Array.isArray(value)) return value
    return Object.entries(value).flatMap(([name, settings]): readonly NamedTracker[] => {
      if (settings === false) return []
      if (isObject(settings)) return [{ name, given: settings }]
      const text = settings === true || settings === null ? '' : settings
      return [{ name, given: typeof text === 'string' ? text : JSON.stringify(text) }]
    })
  })
  .describe(expected)

/** The trackers and addresses that get the results when the work ends. */
export const trackOptions = {
  track: option({
    flag: '--track <name=…>',
    help: 'send results there at the end: mlflow=URL, wandb=PROJECT, tensorboard=DIR, …; may be repeated',
    docs: 'send results there at the end: `mlflow=URL`, `wandb=PROJECT`, `tensorboard=DIR`, …; may be repeated; see [trackers](../tracking.md)',
    read: appendText,
    file: trackerList,
    isIdentity: false,
    stored: 'no',
  }),
  /** An address that is called when a run ends. It may hold a secret. */
  webhook: option({
    flag: '--webhook <url>',
    help: 'post the results there as JSON when the run ends',
    docs: 'post the results there as JSON when the run ends; see [webhooks](../tracking.md#webhooks)',
    ...text('an address that begins with http:// or https://'),
    isIdentity: false,
    stored: 'no',
  }),
}

/** lmms-eval's flags for trackers. */
export const lmmsTrackOptions = {
  wandbArgs: option({
    flag: '--wandb-args <args>',
    help: 'as --track wandb=…',
    docs: 'as `--track wandb=…`',
    ...argumentMap('a mapping of settings, or a text such as project=p'),
    isIdentity: false,
    stored: 'no',
  }),
  wandbLogSamples: option({
    flag: '--wandb-log-samples',
    help: 'with --wandb-args: a table of samples, too',
    docs: 'with `--wandb-args`: a table of samples, too',
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
  swanlabArgs: option({
    flag: '--swanlab-args <args>',
    help: 'as --track swanlab=…',
    docs: 'as `--track swanlab=…`',
    ...argumentMap('a mapping of settings, or a text such as project=p'),
    isIdentity: false,
    stored: 'no',
  }),
  hfHubLogArgs: option({
    flag: '--hf-hub-log-args <args>',
    help: 'as --track hub=…, with push_results_to_hub or push_samples_to_hub',
    docs: 'as `--track hub=…`, with `push_results_to_hub` or `push_samples_to_hub`',
    ...argumentMap('a mapping of settings, or a text such as hub_results_org=me,push_results_to_hub=True'),
    isIdentity: false,
    stored: 'no',
  }),
  swanlabLogSamples: option({
    flag: '--swanlab-log-samples',
    help: 'with --swanlab-args: samples, too',
    docs: 'with `--swanlab-args`: samples, too',
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
}
