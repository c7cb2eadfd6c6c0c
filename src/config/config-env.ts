/** `env` of a configuration file: environment variables for this command only. */
import { z } from 'zod'
import { PipelineError } from '../../base/errors/errors.js'

type Environment = Readonly<Record<string, string | undefined>>

/** The schema of `env`. Values are checked separately, so that no message shows one. */
export const envKeys = { env: z.record(z.string(), z.json()).describe('variables and their values').optional() }

/**
 * Returns the variables that a file sets, with `$NAME`, `${NAME}` and `${NAME:-else}` replaced. A variable is left out if the variable that it refers to
 * is not set.
 *
 * @throws PipelineError if a value is a list or a mapping; the message does not show it
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
