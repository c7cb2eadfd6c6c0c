/** The trackers that a line and its file name, with those of lmms-eval's flags. */
import { isObject, type Json } from '../../base/values/canonical-json.js'
import { parseArguments } from '../config/argument-string.js'
import { makeGroupSettings, type FlagsOf, type KeysOf } from '../config/option.js'
import { lmmsTrackOptions, readTracker, trackOptions, type NamedTracker } from '../config/options/track-options.js'

const options = { ...trackOptions, ...lmmsTrackOptions }

/** Collects the trackers of flags and file. A flag of the line overrides the key with its name. */
export function namedTrackers(flags: FlagsOf<typeof options>, config: KeysOf<typeof options>): readonly NamedTracker[] {
  const given = makeGroupSettings(options, flags, config)
  return [
    ...(given.track ?? []).map(one => (typeof one === 'string' ? readTracker(one) : one)),
    ...nameTracker('wandb', readGiven(given.wandbArgs, '--wandb-args'), args => ({
      project: 'lmms-eval',
      ...args,
      samples: given.wandbLogSamples ?? false,
    })),
    ...nameTracker('swanlab', readGiven(given.swanlabArgs, '--swanlab-args'), ({ exp_name: experiment, ...args }) => ({
      project: 'lmms-eval',
      ...(experiment !== undefined && { name: experiment }),
      ...args,
      samples: given.swanlabLogSamples ?? false,
    })),
    ...nameTracker('hub', readGiven(given.hfHubLogArgs, '--hf-hub-log-args'), readHubSettings),
  ]
}

type Settings = Readonly<Record<string, Json>>

/** Reads lmms-eval's settings of the Hub, which pushes nothing unless it is told what. */
function readHubSettings(given: Settings): Settings | undefined {
  const isTrue = (name: string): boolean => given[name] === true || /^true$/i.test(readText(given[name]) ?? '')
  const [results, samples] = [isTrue('push_results_to_hub'), isTrue('push_samples_to_hub')]
  if (!results && !samples) return undefined
  const name = readText(given['details_repo_name']) ?? readText(given['hub_repo_name']) ?? 'lmms-eval-results'
  const owner = readText(given['hub_results_org'])
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
  given: Settings | undefined,
  settings: (given: Settings) => Settings | undefined,
): readonly NamedTracker[] => {
  const found = given === undefined ? undefined : settings(given)
  return found === undefined ? [] : [{ name, given: found }]
}

/** An empty text is how lmms-eval writes that there is no tracker. */
function readGiven(given: unknown, flag: string): Settings | undefined {
  if (given === undefined) return undefined
  if (isObject(given)) return given as Settings
  const texts = (Array.isArray(given) ? given : [given]).map(String).filter(text => text.trim() !== '')
  // lm-eval's own lines begin with a comma where it adds an argument.
  const trimmed = texts.map(text => text.replace(/^,+|,+$/g, ''))
  return texts.length === 0 ? undefined : (parseArguments(trimmed, flag) as Settings)
}
