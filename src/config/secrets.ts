/** Removes secrets from settings before they are stored or shown. */
import { isSecretName } from '../../base/text/secrets.js'

/** Removes secrets at any depth, and user and password from addresses. */
export function withoutSecretValues(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(credentials, '$1')
  if (Array.isArray(value)) return value.map(withoutSecretValues)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSecretName(name))
      .map(([name, inner]) => [name, withoutSecretValues(inner)]),
  )
}

/** Collects the texts of all secrets, which the terminal masks. */
export function secretTexts(value: unknown, isWithinSecret = false): string[] {
  if (typeof value === 'string') return isWithinSecret ? [value] : credentialsIn(value)
  if (Array.isArray(value)) return value.flatMap(inner => secretTexts(inner, isWithinSecret))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => secretTexts(inner, isWithinSecret || isSecretName(name)))
}

/** `user:password@` after the scheme of an address. */
const credentials = /^([a-z][a-z0-9+.-]*:\/\/)([^/@\s]*)@/i

function credentialsIn(text: string): string[] {
  const userInfo = credentials.exec(text)?.[2]
  return userInfo === undefined || userInfo === '' ? [] : [userInfo, ...userInfo.split(':').slice(1)]
}
