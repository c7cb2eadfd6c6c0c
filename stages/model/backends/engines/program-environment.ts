import { isSecretName } from '../../../../base/secrets.js'
import type { Env } from '../http/protocol/endpoint.js'

/** Shorter ones are words that a log needs. */
const shortestSecret = 8

/** The variables that are set. */
export const definedOnly = (env: Env): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** The values of variables that hold what must never be written down. */
export const secretsOf = (env: Env): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    isSecretName(name) && value !== undefined && value.length >= shortestSecret ? [value] : [],
  )
