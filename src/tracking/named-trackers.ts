/** The trackers that a line and its file name, with those of lmms-eval's flags. */
import { isObject, type Json } from '../../base/values/canonical-json.js'
import { parseArguments } from '../config/argument-string.js'
import { makeGroupSettings, type FlagsOf, type KeysOf } from '../config/option.js'
import { lmmsTrackOptions, readTracker, trackOptions, type NamedTracker } from '../config/options/track-options.js'

const options = { ...trackOptions, ...lmmsTrackOptions }

/** Collects the trackers of flags and file. A flag of the line overrides the key with its name. */
export function namedTrackers(flags: FlagsOf<typeof options>, config: KeysOf<typeof options>): readonly NamedTracker[] {
  const settings = makeGroupSettings(options, flags, config)
  return [
    ...(settings.track ?? []).map(tracker => (typeof tracker === 'string' ? readTracker(tracker) : tracker)),
    ...nameTracker('wandb', readGiven(settings.wandbArgs, '--wandb-args'), args => ({
      project: 'lmms-eval',
      ...args,
      samples: settings.wandbLogSamples ?? false,
    })),
    ...nameTracker(
      'swanlab',
      readGiven(settings.swanlabArgs, '--swanlab-args'),
      ({ exp_name: experiment, ...args }) => ({
        project: 'lmms-eval',
        ...(experiment !== undefined && { name: experiment }),
        ...args,
        samples: settings.swanlabLogSamples ?? false,
      }),
    ),
    ...nameTracker('hub', readGiven(settings.hfHubLogArgs, '--hf-hub-log-args'), readHubSettings),
  ]
}

type Settings = Readonly<Record<string, Json>>

/** Reads lmms-eval's settings of the Hub, which pushes nothing unless it is told what. */
function readHubSettings(args: Settings): Settings | undefined {
  const isTrue = (name: string): boolean => args[name] === true || /^true$/i.test(readText(args[name]) ?? '')
  const [results, samples] = [isTrue('push_results_to_hub'), isTrue('push_samples_to_hub')]
  if (!results && !samples) return undefined
  const name = readText(args['details_repo_name']) ?? readText(args['hub_repo_name']) ?? 'lmms-eval-results'
  const owner = readText(args['hub_results_org'])
  return {
    repo: owner === undefined || name.includes('/') ? name : `${owner}/${name}`,
    public: isTrue('public_repo'),
    results,
    samples,
    report: false,
  }
}

const readText = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

const nameTracker = (
  name: string,
  args: Settings | undefined,
  settings: (values: Settings) => Settings | undefined,
): readonly NamedTracker[] => {
  const trackerSettings = args === undefined ? undefined : settings(args)
  return trackerSettings === undefined ? [] : [{ name, given: trackerSettings }]
}

/** An empty text is how lmms-eval writes that there is no tracker. */
function readGiven(value: unknown, flag: string): Settings | undefined {
  if (value === undefined) return undefined
  if (isObject(value)) return value as Settings
  const texts = (Array.isArray(value) ? value : [value]).map(String).filter(text => text.trim() !== '')
  // lm-eval's own lines begin with a comma where it adds an argument.
  const trimmed = texts.map(text => text.replace(/^,+|,+$/g, ''))
  return texts.length === 0 ? undefined : (parseArguments(trimmed, flag) as Settings)
}
