/** From the names and settings of trackers to destinations whose settings are checked. */
import { PipelineError } from '../../base/errors/errors.js'
import { mistakeLines } from '../../base/errors/schema-mistakes.js'
import { option } from '../../base/errors/option-words.js'
import { didYouMean } from '../../base/text/suggest.js'
import { isObject, type Json } from '../../base/values/canonical-json.js'
import { refuseStorePath } from '../../cache/output-path.js'
import { parseArguments } from '../config/argument-string.js'
import type { NamedTracker } from '../config/options/track-options.js'
import { withoutSecretValues } from '../config/secrets.js'
import type { Environment } from '../config/settings.js'
import type { TrackerDefinition } from './tracker.js'
import { trackers } from './trackers.js'

/** A tracker with checked settings. */
export interface Destination {
  readonly tracker: TrackerDefinition
  readonly settings: unknown
  /** The settings as they were given, without secrets. */
  readonly shown: Json
  /** Tells destinations of a tracker apart. */
  readonly place: string
}

/**
 * Checks the settings of trackers, before the work whose results they get.
 *
 * @throws PipelineError that names every mistake
 */
export function readDestinations(
  namedTrackers: readonly NamedTracker[],
  env: Environment,
  flag: 'track' | 'to' = 'track',
): readonly Destination[] {
  const problems: string[] = []
  const destinations: Destination[] = []
  for (const namedTracker of namedTrackers) {
    try {
      const destination = readDestination(namedTracker, env, flag)
      if (destinations.some(({ tracker, place }) => tracker === destination.tracker && place === destination.place))
        problems.push(`${option(flag, namedTracker.name)}: ${destination.place} is named twice`)
      destinations.push(destination)
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      problems.push(...error.said)
    }
  }
  if (problems.length > 0) throw new PipelineError('usage', problems)
  return destinations
}

/**
 * Rejects trackers that would write into a store, before the work whose results they get.
 *
 * @param store the location of the store that the command works on
 * @throws PipelineError (usage)
 */
export function refuseStoreFolders(destinations: readonly Destination[], store: string): void {
  for (const { tracker, settings } of destinations) {
    const dir: unknown = isObject(settings) ? settings['dir'] : undefined
    if (typeof dir === 'string') refuseStorePath({ path: dir, label: `${tracker.id}: dir=${dir}`, store })
  }
}

function readDestination({ name, given }: NamedTracker, env: Environment, flagName: string): Destination {
  const tracker = trackers.find(({ id }) => id === name)
  const flag = option(flagName, name)
  if (tracker === undefined) {
    const names = trackers.map(({ id }) => id)
    throw new PipelineError(
      'usage',
      `${flag}: there is no tracker "${name}".${didYouMean(name, names)} Trackers: ${names.join(', ')}`,
    )
  }
  const values = typeof given === 'string' ? readSettings(given, tracker, flag) : given
  const unknown = tracker.isOpen ? [] : Object.keys(values).filter(key => !tracker.names.includes(key))
  if (unknown.length > 0)
    throw new PipelineError(
      'usage',
      unknown.map(
        key =>
          `${flag}: there is no setting "${key}".${didYouMean(key, tracker.names)} Settings: ${tracker.names.join(', ')}`,
      ),
    )
  const parsed = tracker.settings.safeParse(values)
  if (!parsed.success)
    throw new PipelineError(
      'usage',
      mistakeLines(parsed.error.issues, values, {
        whole: 'the settings',
        isGone: true,
        expected: ([key]) => tracker.expectations[String(key)],
      }).map(line => `${flag}: ${line}`),
    )
  return {
    tracker,
    settings: parsed.data,
    shown: withoutSecretValues(values) as Json,
    place: tracker.place(parsed.data, env),
  }
}

/** A first part without a name is the main setting: `http://host:5000,experiment=vlm`. */
function readSettings(text: string, { main }: TrackerDefinition, flag: string): Readonly<Record<string, Json>> {
  const trimmed = text.trim()
  if (trimmed === '') return {}
  const isNamed = trimmed.startsWith('{') || /^[A-Za-z_]\w*=/.test(trimmed)
  const values = parseArguments([isNamed ? trimmed : `${main}=${trimmed}`], flag)
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}
