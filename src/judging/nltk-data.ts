import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Json } from '../../base/canonical-json.js'
import { messageOf } from '../../base/errors.js'
import { expectFileSync } from '../../base/files.js'
import { sha256 } from '../../cache/digest.js'
import type { JsonObject } from '../../cache/records.js'
import { nltkFiles, unreadable } from '../../stages/judge/metrics/wups/language-data.js'

/**
 * A task's scoring with the folder of NLTK's data that the environment names (`NLTK_DATA`, the first of several) in each `wups` that names none.
 * The digest of what is read there is in it, too: what was scored by other data is scored anew. Without a folder a `wups` that is `optional`
 * only collects answers.
 *
 * @throws PipelineError where a file can't be read.
 */
export function withNltkData(config: JsonObject, { NLTK_DATA: folders = '' }: NodeJS.ProcessEnv): JsonObject {
  const { metric_list: entries } = config
  if (!isList(entries)) return config
  const [folder = ''] = folders.split(delimiter)
  return { ...config, metric_list: entries.map(entry => (isWups(entry) ? placed(entry, folder) : entry)) }
}

function placed({ optional, ...entry }: JsonObject, folder: string): JsonObject {
  const { nltk_data: own = folder } = entry
  if (typeof own === 'string' && own !== '') return { ...entry, nltk_data: own, sha256: digestOf(own) }
  if (optional !== true) return entry
  const { name = 'wups', higher_is_better: direction = true } = entry
  const note = "left out: NLTK_DATA does not say where WordNet and NLTK's tagger are"
  return { metric: 'bypass', name, higher_is_better: direction, note }
}

function digestOf(folder: string): string {
  try {
    const digests = nltkFiles.map(name => {
      try {
        expectFileSync(join(folder, name))
        return sha256(readFileSync(join(folder, name)))
      } catch (error) {
        throw new Error(`${name}: ${messageOf(error)}`, { cause: error })
      }
    })
    return sha256(digests.join('\n')).replace('sha256:', '')
  } catch (error) {
    throw unreadable(folder, error)
  }
}

const isWups = (entry: Json): entry is JsonObject =>
  typeof entry === 'object' && entry !== null && !isList(entry) && entry['metric'] === 'wups'

// Array.isArray does not narrow a readonly array out of a union.
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
