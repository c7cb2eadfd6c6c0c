/** Checks values that no declaration explains: arguments of a plugin's backend, which is not loaded to check a job. */
import { isIP } from 'node:net'
import { addressProblem } from './allowed-address.js'
import { allowedPath } from './allowed-path.js'
import type { CheckedArguments, JobPolicy, Surroundings } from './job-policy.js'

/** Takes what looks neither like an address nor like a path, and checks the rest. */
export async function foreignArguments(
  key: string,
  args: Readonly<Record<string, unknown>>,
  policy: JobPolicy,
  surroundings: Surroundings,
): Promise<CheckedArguments> {
  const problems: string[] = []
  const checked: (readonly [string, unknown])[] = []
  for (const [name, value] of Object.entries(args)) {
    const childKey = `${key}.${name}`
    const texts = textsIn(value)
    const addresses = texts.filter(looksLikeAddress)
    problems.push(...addresses.flatMap(text => addressProblem(childKey, text, policy) ?? []))
    const paths = texts.filter(text => !looksLikeAddress(text) && looksLikePath(text))
    const results = await Promise.all(paths.map(text => allowedPath(childKey, text, policy, surroundings)))
    problems.push(...results.flatMap(result => ('problem' in result ? [result.problem] : [])))
    // Paths within lists and mappings are not replaced by real paths.
    const [only] = typeof value === 'string' ? results : []
    checked.push([name, only !== undefined && 'path' in only ? only.path : value])
  }
  return { problems, args: Object.fromEntries(checked) }
}

/** `scheme://…`, `host:8080`, an IP address, or a name of this machine. */
function looksLikeAddress(value: string): boolean {
  const text = value.trim()
  const [host = ''] = text.split(/[/:]/)
  return (
    text.includes('://') ||
    /^(https?|wss?|ftp|file|data|unix|tcp):/i.test(text) ||
    /^([\w.-]+|\[[\da-f:.]+\]):\d{1,5}([/?#]|$)/i.test(text) ||
    isIP(text.replace(/^\[|\]$/g, '')) !== 0 ||
    isIP(host) !== 0 ||
    /^localhost\.?$/i.test(host)
  )
}

const looksLikePath = (text: string): boolean =>
  /^\s*([/~\\]|\.\.?([\\/]|$)|[a-z]:[\\/])|(^|[\\/])\.\.([\\/]|$)/i.test(text)

/** All texts of a value, names of mappings included. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)])
}
