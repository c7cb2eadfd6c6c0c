/** Secrets of jobs: a job names a secret of the server, and only the process that runs the job learns its value. */
import { PipelineError } from '../../../base/errors/errors.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { ownValue } from '../../../base/values/named-values.js'
import { isSecretName } from '../../../base/text/secrets.js'
import { formatFileKey } from '../../config/option.js'
import { lmmsTrackOptions } from '../../config/options/track-options.js'
import { unused } from '../../config/file/unused-keys.js'
import type { JobPolicy } from './job-policy.js'

/** The keys with arguments that may name secrets. */
export const argumentKeys = ['model_args', 'judge_args'] as const

/** Keys of mappings by task name. */
const namedByTasks: ReadonlySet<string> = new Set(['limit', 'samples'])

/** Keys that have no effect in a job. */
const ignoredKeys: ReadonlySet<string> = new Set([
  ...Object.keys(unused),
  ...Object.keys(lmmsTrackOptions).map(formatFileKey),
])

/** The name in `secret:NAME`; undefined of any other value. */
const secretName = (value: unknown): string | undefined =>
  typeof value === 'string' ? /^secret:([A-Za-z0-9_.-]+)$/.exec(value)?.[1] : undefined

/** A password in an address, as in `https://user:password@host`. */
const credentials = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*@/i

/**
 * Finds literal secrets in a job. Jobs are stored, so a secret must be named as `secret:NAME`. Only direct arguments of a model or judge may name
 * one. Within other values, such as `extra_body`, the secret would become part of stored requests.
 *
 * @param request a job with arguments as mappings
 */
export function secretProblems(
  request: Readonly<Record<string, unknown>>,
  { secrets }: Pick<JobPolicy, 'secrets'>,
): readonly string[] {
  return Object.entries(request).flatMap(([key, value]) => {
    if (namedByTasks.has(key)) return []
    // Ignored keys are stored as well, some as texts such as `project=p,api_key=…`.
    if (ignoredKeys.has(key) && /(key|token|secret|password)["']?\s*[=:]/i.test(JSON.stringify(value)))
      return [`${key}: it seems to hold a secret, and jobs are stored; leave the key out, which has no effect`]
    if (!argumentKeys.some(argumentKey => argumentKey === key) || !isObject(value))
      return within(key, value, isSecretName(key))
    return Object.entries(value).flatMap(([name, inner]) => {
      const childKey = `${key}.${name}`
      const reference = isSecretName(name) ? secretName(inner) : undefined
      if (reference === undefined) return within(childKey, inner, isSecretName(name))
      if (secrets.has(reference)) return []
      return [`${childKey}: this server has no secret "${reference}" (--secret ${reference}=VARIABLE)`]
    })
  })
}

function within(key: string, value: unknown, isOfSecret: boolean): readonly string[] {
  if (value === null || typeof value === 'boolean') return []
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) =>
      within(`${key}.${name}`, inner, isOfSecret || isSecretName(name)),
    )
  if (Array.isArray(value)) return value.flatMap((inner, index) => within(`${key}[${index}]`, inner, isOfSecret))
  // The value itself is never shown.
  if (isOfSecret)
    return [
      `${key}: a secret must not stand in a job, which is stored; give an argument of the model as "secret:NAME", where NAME is one of the server (--secret NAME=VARIABLE)`,
    ]
  return typeof value === 'string' && credentials.test(value)
    ? [`${key}: an address must not hold a user or password, since jobs are stored`]
    : []
}

/**
 * Replaces the names of secrets by their values, for the process that runs the job. The result must not be stored.
 *
 * @throws PipelineError if the server no longer has a named secret
 */
export function withSecrets<Request extends Readonly<Record<string, unknown>>>(
  request: Request,
  { secrets }: Pick<JobPolicy, 'secrets'>,
): Request {
  const resolved = argumentKeys.flatMap(key => {
    const args = ownValue(request, key)
    return isObject(args) ? [[key, withValues(key, args, secrets)] as const] : []
  })
  return { ...request, ...Object.fromEntries(resolved) }
}

function withValues(
  key: string,
  args: Readonly<Record<string, unknown>>,
  secrets: JobPolicy['secrets'],
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(args).map(([name, value]) => {
    const reference = isSecretName(name) ? secretName(value) : undefined
    if (reference === undefined) return [name, value] as const
    const secret = secrets.get(reference)
    if (secret !== undefined) return [name, secret.value] as const
    throw new PipelineError(
      'config',
      `${key}.${name}: this server has no secret "${reference}" (--secret ${reference}=VARIABLE)`,
    )
  })
  return Object.fromEntries(entries)
}
