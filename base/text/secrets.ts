const secretName =
  /(^|_)(api_?keys?|key|token|secret|password|passphrase|credentials?|authorization|cookies?|headers)$/i

/** Tokens of a model's vocabulary. */
const vocabulary =
  /(^|_)(bos|eos|pad|sep|cls|mask|unk|stop|start|end|begin|image|video|audio|think|thinking|prefix|suffix|middle)_token$/i

/** Returns whether the value of an argument or variable with this name must never be stored or shown, including `apiKey` and `hf-token`. */
export function isSecretName(name: string): boolean {
  const snakeCase = name.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('-', '_')
  return secretName.test(snakeCase) && !vocabulary.test(snakeCase)
}

/**
 * Returns the paths of texts with names of secrets within a value, such as `extra_body.api_key`. Objects below such a name are searched, because a
 * JSON schema may describe a field `token`.
 *
 * @param path the path of the value itself
 */
export function secretPaths(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((inner, index) => secretPaths(inner, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const texts = (Array.isArray(inner) ? inner : [inner]).filter(text => typeof text === 'string' && text !== '')
    return isSecretName(name) && texts.length > 0 ? [`${path}.${name}`] : secretPaths(inner, `${path}.${name}`)
  })
}

/** Shorter values are hidden only if they have a digit, and none below the second length. */
const shortestSecret = { plain: 8, withDigit: 6 }

/**
 * Tells whether a value is long enough to be a secret. `e`, `EMPTY`, `ollama` and `http://` are placeholders for local servers, or mistakes. To hide
 * them would spoil words and addresses of every message.
 */
export function isLongEnough(secret: string): boolean {
  const { length } = secret.trim()
  return length >= (/\d/.test(secret) ? shortestSecret.withDigit : shortestSecret.plain)
}

/** Lists the values of environment variables that must never be written down. */
export const secretsIn = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    isSecretName(name) && value !== undefined && isLongEnough(value) ? [value] : [],
  )

/** Replaces each of `secrets` that is long enough in `text` by `***`, including its forms in URLs, JSON, base64 and with escapes. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string => makeMask(secrets)(text)

/** Returns {@link withoutSecrets} as a function, to mask many texts. */
export function makeMask(secrets: readonly string[]): (text: string) => string {
  const presentSecrets = secrets.filter(isLongEnough)
  const forms = presentSecrets.flatMap(secret => [...writtenForms(secret)])
  const escaped = presentSecrets.map(escapedForm)
  return text => {
    const maskedText = forms.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, '***') : rest), text)
    return maskedText.includes(asciiEscape)
      ? escaped.reduce((rest, form) => rest.replace(form, '***'), maskedText)
      : maskedText
  }
}

/** Some JSON writers escape characters such as `+` without need. */
const asciiEscape = '\\u00'

/** Matches a secret in JSON, with any character possibly written as `\u002b`. */
function escapedForm(secret: string): RegExp {
  const signs = secret.split('').map(sign => {
    const code = sign.charCodeAt(0).toString(16).padStart(4, '0')
    const either = code.replace(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)
    return `(?:${inJson(sign).replace(/\W/g, '\\$&')}|\\\\u${either})`
  })
  return new RegExp(signs.join(''), 'g')
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

function writtenForms(secret: string): ReadonlySet<string> {
  const inAddress = encodeURIComponent(secret)
  const forms = new Set([
    secret,
    inAddress,
    inAddress.replace(/%[\dA-F]{2}/g, code => code.toLowerCase()),
    inJson(secret),
    inJson(secret).replaceAll('/', '\\/'),
  ])
  // The base64 of a shorter secret is only a few letters, which may occur by chance.
  for (const before of secret.length < shortestSecret.plain ? [] : [0, 1, 2]) {
    const letters = inBase64(secret, before)
    forms.add(letters).add(letters.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}

/**
 * Returns the letters that depend only on the secret in the base64 of a longer text, such as `Bearer SECRET`.
 *
 * @param before the number of bytes before the secret, modulo 3
 */
function inBase64(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** Replaces the signature of presigned addresses, and what else in them belongs to a key. */
export const withoutSignatures = (text: string): string =>
  text.includes('X-Amz-')
    ? text.replace(/(X-Amz-(?:Signature|Credential|Security-Token))=[\w%./~+-]+/g, '$1=***')
    : text
