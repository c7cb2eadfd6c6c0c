import { isSecretName } from '../../../base/text/secrets.js'
import { formatClientValue, type JobPolicy } from './job-policy.js'

/** Spellings of dots, slashes, backslashes and percent signs that a server may decode after the path was checked. */
const hiddenSteps = /%(2e|2f|5c|25|00)/i

/**
 * Checks an address of a job: of a model, judge, tool server or webhook. Its origin must be one of the policy, and its path must begin with the path there.
 *
 * Only the parsed address is compared, because `http://allowed@other`, `http://allowed.other` and `http://0x7f.1` begin like something else than they are.
 *
 * @param key the name of the value in the job, for the message
 * @returns why the address is refused; undefined if it is allowed
 */
export function addressProblem(
  key: string,
  text: string,
  { allowUrls }: Pick<JobPolicy, 'allowUrls'>,
): string | undefined {
  const url = strictUrl(text)
  if (url === undefined)
    return `${key}: ${withoutCredentials(text)} is not a plain address such as https://host/v1, which --allow-url could allow`
  const secret = [...url.searchParams.keys()].find(isSecretParameter)
  if (secret !== undefined)
    return `${key}: the parameter ${formatClientValue(secret)} holds a secret, and jobs are stored; name a secret of the server (--secret NAME=VARIABLE) as "secret:NAME"`
  if (allowUrls.some(allowed => begins(url, allowed))) return undefined
  return `${key}: ${formatClientValue(text)} is not an address that this server allows (--allow-url)`
}

/** The address, if each parser would read it in the same way. */
function strictUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^/\\?#@\s]+([/?#]|$)/i.test(text) || /[\\\s\p{Cc}\p{Cf}]/u.test(text)) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.username !== '' || url.password !== '' || url.hash !== '') return undefined
  return hiddenSteps.test(pathIn(text)) ? undefined : url
}

/** Returns the path as written. URL parsing would resolve `%2e%2e`. */
const pathIn = (text: string): string => text.replace(/[?#].*$/s, '')

function begins(url: URL, allowed: string): boolean {
  const other = URL.canParse(allowed) ? new URL(allowed) : undefined
  if (other === undefined || other.origin === 'null' || url.origin !== other.origin) return false
  const wanted = segments(other)
  const urlSegments = segments(url)
  return wanted.every((segment, index) => urlSegments[index] === segment)
}

const segments = ({ pathname }: URL): readonly string[] => pathname.replace(/\/+$/, '').split('/').slice(1)

const isSecretParameter = (name: string): boolean => isSecretName(name) || /^(apikey|sig|signature|code)$/i.test(name)

/** A refused text may hold a password before an `@`. */
const withoutCredentials = (text: string): string => formatClientValue(text.replace(/^([^/]*\/\/)?[^/\s]*@/, '$1***@'))
