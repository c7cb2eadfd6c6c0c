/** Removes secrets from settings before they are stored or shown. */
import { isSecretName } from '../../base/text/secrets.js'

/** Tells whether a name is that of a secret, including `apiKey`, `hf-token` and `APIKEY`. */
export const isSecret = (name: string): boolean =>
  isSecretName(name.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('-', '_')) || /^api_?keys?$/i.test(name)

/** Removes secrets at any depth, and user and password from addresses. */
export function withoutSecretValues(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(credentials, '$1')
  if (Array.isArray(value)) return value.map(withoutSecretValues)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSecret(name))
      .map(([name, inner]) => [name, withoutSecretValues(inner)]),
  )
}

/** Collects the texts of all secrets, which the terminal masks. */
export function secretTexts(value: unknown, isWithinSecret = false): string[] {
  if (typeof value === 'string') return isWithinSecret ? [value] : credentialsIn(value)
  if (Array.isArray(value)) return value.flatMap(inner => secretTexts(inner, isWithinSecret))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => secretTexts(inner, isWithinSecret || isSecret(name)))
}

/** `user:password@` after the scheme of an address. */
const credentials = /^([a-z][a-z0-9+.-]*:\/\/)([^/@\s]*)@/i

function credentialsIn(text: string): string[] {
  const given = credentials.exec(text)?.[2]
  return given === undefined || given === '' ? [] : [given, ...given.split(':').slice(1)]
}
