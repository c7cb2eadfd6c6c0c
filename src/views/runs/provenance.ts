import { stringify } from 'yaml'
import { shellWord } from '../../../base/text/shell-word.js'
import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject, Run, StoredConfig } from '../../../cache/records.js'
import { keyOf } from '../../config/option.js'
import { allOptions } from '../../config/options.js'
import type { Provenance } from '../page-data/index.js'

/** What is needed to get a run's numbers again: versions, digests, and its configuration in both forms. */
export function provenanceOf({ asked, provenance }: Run): Provenance {
  const { version, commit, dirty, node, config } = provenance
  const settings = without(config, 'cwd')
  return {
    version,
    ...(commit !== undefined && { commit }),
    ...(dirty !== undefined && { dirty }),
    node,
    model: plain(asked.model),
    tasks: asked.tasks.map(({ name, identity, dataset }) => ({ name, identity, dataset: plain(dataset) })),
    yaml: Object.keys(settings).length === 0 ? '' : stringify(plain(settings), { lineWidth: 120 }),
    command: commandOf(config),
  }
}

/** Records contain only JSON, but interfaces have no index signature to say so. */
const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

/** The command line with the flags of a stored configuration. */
function commandOf({ cwd, ...config }: StoredConfig): string {
  const flags = Object.entries(allOptions).flatMap(([name, { flag }]) => {
    const value = config[keyOf(name)]
    return value === undefined || value === null || value === false ? [] : flagWords(flag, value)
  })
  if (flags.length === 0) return ''
  const folder = cwd === undefined ? '' : `cd ${shellWord(cwd)} && `
  return `${folder}pipeline eval ${flags.join(' ')}`
}

/** `--tasks a,b`, `--model-args a=1,b=x`, and `--trust` for a flag without a value. */
function flagWords(declared: string, value: Json): string[] {
  const [flag = ''] = /--[a-z][\w-]*/.exec(declared) ?? []
  if (!declared.includes('<') && !declared.includes('[')) return value === true ? [flag] : []
  return [`${flag} ${shellWord(wordOf(value))}`]
}

function wordOf(value: Json): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(part => wordOf(part as Json)).join(',')
  if (isObject(value))
    return Object.entries(value)
      .flatMap(([name, inner]) => (inner === undefined ? [] : [`${name}=${argumentOf(inner)}`]))
      .join(',')
  return JSON.stringify(value)
}

const argumentOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
