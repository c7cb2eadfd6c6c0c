/** `env` of a configuration file: variables of the environment, for the command alone. */
import { z } from 'zod'
import { PipelineError } from '../../base/errors.js'

type Environment = Readonly<Record<string, string | undefined>>

/** What may stand in a configuration file. Values are looked at apart, so that no message shows one. */
export const envKeys = { env: z.record(z.string(), z.json()).describe('variables and their values').optional() }

/**
 * The variables that a file sets, with `$NAME`, `${NAME}` and `${NAME:-else}` in them replaced. One that comes to nothing, since
 * what it names is not set, is not set either.
 *
 * @throws PipelineError where a value is a list or a mapping; it is not shown.
 */
export function variablesOf(given: Readonly<Record<string, unknown>> = {}, env: Environment): Record<string, string> {
  const set = Object.entries(given).flatMap(([name, value]) => {
    if (value === null) return []
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw new PipelineError('config', `env.${name}: expected a text`)
    const text = expanded(String(value), env)
    return text === '' ? [] : [[name, text] as const]
  })
  return Object.fromEntries(set)
}

const expanded = (text: string, env: Environment): string =>
  text.replace(
    /\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))/g,
    (_, braced: string | undefined, other: string | undefined, bare: string | undefined) => {
      const value = env[braced ?? bare ?? '']
      return value === undefined || value === '' ? (other ?? '') : value
    },
  )
