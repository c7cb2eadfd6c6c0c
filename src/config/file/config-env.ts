/** `env` of a configuration file: environment variables for this command only. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import type { Environment } from '../settings.js'
import { problemInFile } from '../variables.js'

/** The schema of `env`. Values are checked separately, so that no message shows one. */
export const envKeys = { env: z.record(z.string(), z.json()).describe('variables and their values').optional() }

/**
 * Returns the variables that a file sets, with `$NAME`, `${NAME}` and `${NAME:-else}` replaced. A variable whose value is empty is left out.
 *
 * @param at returns the position of a path in the file
 * @throws PipelineError for each value that is a list or a mapping, each reference to an unset variable, and each variable that the file cannot set.
 * The message shows no value
 */
export function expandVariables(
  values: Readonly<Record<string, unknown>> = {},
  env: Environment,
  at: (path: readonly PropertyKey[]) => string,
): Record<string, string> {
  const problems: string[] = []
  const set = Object.entries(values).flatMap(([name, value]) => {
    const report = (what: string): void => void problems.push(`${at(['env', name])}  env.${name}: ${what}`)
    const unfit = problemInFile(name)
    if (unfit !== undefined) report(unfit)
    if (value === null) return []
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      report('expected a text')
      return []
    }
    const text = expandText(String(value), env, missing =>
      report(`the environment has no ${missing}. Set it, or write \${${missing}:-VALUE} with a value to use instead`),
    )
    return text === '' ? [] : [[name, text] as const]
  })
  if (problems.length > 0) throw new PipelineError('config', problems)
  return Object.fromEntries(set)
}

const expandText = (text: string, env: Environment, onMissing: (name: string) => void): string =>
  text.replace(
    /\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))/g,
    (_, braced: string | undefined, other: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare ?? ''
      const value = env[name]
      if (value === undefined && other === undefined) onMissing(name)
      return value === undefined || value === '' ? (other ?? '') : value
    },
  )

/** A value that is nothing but a reference to a variable. */
const reference = /^\$(\{\w+(:-[^}]*)?\}|[A-Z_][A-Z0-9_]*)$/

/** A reference within a value, such as an address. */
const innerReference = /\$\{[A-Z_][A-Z0-9_]*(:-[^}]*)?\}/

/** Finds a reference to a variable in a text outside of `env`, where references are not replaced. */
export const findReference = (text: string): string | undefined =>
  text
    .split(/[=,]/)
    .map(part => part.trim())
    .find(part => reference.test(part)) ?? innerReference.exec(text)?.[0]
