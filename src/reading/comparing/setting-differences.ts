import { canonicalJson, isObject, type Json } from '../../../base/values/canonical-json.js'
import { without } from '../../../base/values/without.js'
import type { Run } from '../../../cache/records.js'
import { makeDataKey } from './asked-differences.js'

/** A setting that two runs do not share. */
export interface SettingDifference {
  /** The path of the key in the configuration, such as `model_args.temperature`. */
  readonly name: string
  /** The value as text. Null where the run does not have the setting. */
  readonly a: string | null
  readonly b: string | null
}

/** Settings for people and paths, which change no result. */
const unimportant = ['cwd', 'name', 'note', 'tag', 'model_name', 'store', 'track'] as const

/** Lists the settings in which two runs differ: keys of the configuration, the program's version and the data of tasks. */
export function listSettingDifferences(a: Run, b: Run): readonly SettingDifference[] {
  const [first, second] = [readSettings(a), readSettings(b)]
  for (const task of a.asked.tasks) {
    const other = b.asked.tasks.find(({ name }) => name === task.name)
    if (other === undefined) continue
    first.set(`data of ${task.name}`, formatData(task))
    second.set(`data of ${task.name}`, formatData(other))
  }
  const names = [...new Set([...first.keys(), ...second.keys()])]
  return names.flatMap(name => {
    const [own, other] = [first.get(name) ?? null, second.get(name) ?? null]
    return own === other ? [] : [{ name, a: own, b: other }]
  })
}

function readSettings({ asked, provenance }: Run): Map<string, string> {
  const settings = new Map<string, string>()
  const config = JSON.parse(JSON.stringify(without(provenance.config, ...unimportant))) as Json
  // A run that was imported has no configuration of this program.
  addSettings(
    settings,
    '',
    isObject(config) && config['imported'] === undefined ? config : { model: toJson(asked.model) },
  )
  settings.set('version', provenance.version)
  if (provenance.commit !== undefined) settings.set('commit', provenance.commit)
  return settings
}

/** Formats the data of a task, with shortened digests. */
const formatData = (task: Run['asked']['tasks'][number]): string =>
  makeDataKey(task).replaceAll(/sha256:([0-9a-f]{12})[0-9a-f]+/g, '$1')

const toJson = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json

/** Adds the values below a path. Empty lists and mappings say nothing. */
function addSettings(settings: Map<string, string>, path: string, value: Json): void {
  if (isObject(value)) {
    for (const [key, inner] of Object.entries(value))
      if (inner !== undefined) addSettings(settings, path === '' ? key : `${path}.${key}`, inner)
  } else if (value !== null && !(Array.isArray(value) && value.length === 0))
    settings.set(path, typeof value === 'string' ? value : canonicalJson(value))
}
