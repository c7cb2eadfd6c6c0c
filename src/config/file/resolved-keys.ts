/** Lists the keys of a run with the source of each value, for `pipeline config`. */
import type { Json } from '../../../base/values/canonical-json.js'
import { isSecretName } from '../../../base/text/secrets.js'
import { parseArguments } from '../argument-string.js'
import type { FolderDefaults } from '../folder/folder-defaults.js'
import { withoutSecretValues } from '../secrets.js'
import type { Environment } from '../settings.js'
import { isMapping, type Path } from './config-mapping.js'
import type { ConfiguredRun } from './config-file.js'
import { configSchema } from './config-schema.js'

/** A value and its origin. */
export interface ResolvedKey {
  /** `model_args.timeout` */
  readonly key: string
  readonly value: Json
  /** `file:line:column`, `--set KEY`, `$VARIABLE` or `default`. */
  readonly from: string
}

/** Replaces a value that may be a secret. */
const hidden = '(hidden)'

/** Lists the keys of a run in the order of the options. Paths are resolved, and secrets and values of `env` are hidden. */
export function listResolvedKeys(
  run: ConfiguredRun,
  env: Environment,
  defaults?: FolderDefaults,
): readonly ResolvedKey[] {
  const values = run.mapping.value
  const names = new Map(Object.keys(values).map(key => [key.replaceAll('-', '_'), key]))
  const ordered = Object.keys(configSchema.shape).filter(name => names.has(name))
  const keys = ordered.flatMap(name => {
    const key = names.get(name) ?? name
    const value = values[key]
    return value === null
      ? []
      : flatten(resolveValue(run, name, value), [name], path => run.at([key, ...path.slice(1)]))
  })
  return [...keys, ...listFallbacks(run, env, defaults)]
}

/** Returns a path in its resolved form. Other values are unchanged. */
function resolveValue({ config }: ConfiguredRun, name: string, value: unknown): unknown {
  const resolved = (config as Readonly<Record<string, unknown>>)[name]
  if (name === 'model_args' || name === 'judge_args')
    return typeof resolved === 'string' ? parseArguments([resolved], name) : resolved
  if (typeof value === 'string' && typeof resolved === 'string') return resolved
  return Array.isArray(resolved) && resolved.every(item => typeof item === 'string') ? resolved : value
}

function flatten(value: unknown, path: readonly string[], at: (path: Path) => string): readonly ResolvedKey[] {
  const [first] = path
  const isHidden = path.slice(1).some(isSecretName) || first === 'webhook' || (first === 'env' && path.length > 1)
  if (!isHidden && isMapping(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, inner]) => flatten(inner, [...path, name], at))
  const key = path.map(name => (/[.\s]/.test(name) ? JSON.stringify(name) : name)).join('.')
  return [{ key, value: isHidden ? hidden : withoutCredentials(value), from: at(path) }]
}

/** Removes user and password from addresses, also within a text such as a tracker. */
function withoutCredentials(value: unknown): Json {
  const cleaned = withoutSecretValues(value) as Json
  return typeof cleaned === 'string' ? cleaned.replace(/(:\/\/)[^/@\s]*@/g, '$1') : cleaned
}

/** Settings that the environment or the folder gives where the configuration has none. */
function listFallbacks(
  { config }: ConfiguredRun,
  env: Environment,
  defaults: FolderDefaults | undefined,
): readonly ResolvedKey[] {
  const variables = { store: 'PIPELINE_STORE', python: 'PIPELINE_PYTHON' } as const
  return Object.entries(variables).flatMap(([key, variable]) => {
    if (config[key as keyof typeof variables] !== undefined) return []
    const value = env[variable]
    const ofFolder = defaults?.environment[variable]
    if (value !== undefined && value !== '')
      return [{ key, value, from: ofFolder?.value === value ? ofFolder.place : `$${variable}` }]
    return key === 'store' ? [{ key, value: '.pipeline', from: 'default' }] : []
  })
}
