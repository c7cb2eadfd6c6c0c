const secretName = /(^|_)(key|token|secret|password|credentials?|authorization|headers)$/i

/** Whether an argument or variable of this name holds what must never be stored or shown. */
export const isSecretName = (name: string): boolean => secretName.test(name)

/** `text` with each of `secrets` replaced by `***`, also where it was written for a URL, as JSON or in base64. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string => maskOf(secrets)(text)

/** As {@link withoutSecrets}, for many texts. */
export function maskOf(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.filter(secret => secret !== '').flatMap(secret => [...writtenForms(secret)])
  return text => forms.reduce((shown, form) => (shown.includes(form) ? shown.replaceAll(form, '***') : shown), text)
}

/** In base64 a shorter one is a few letters that mean nothing. */
const shortestEncoded = 8

function writtenForms(secret: string): ReadonlySet<string> {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const inAddress = encodeURIComponent(secret)
  const forms = new Set([
    secret,
    inAddress,
    inAddress.replace(/%[\dA-F]{2}/g, code => code.toLowerCase()),
    inJson,
    inJson.replaceAll('/', '\\/'),
  ])
  if (secret.length >= shortestEncoded) {
    for (const before of [0, 1, 2]) {
      const letters = inBase64(secret, before)
      forms.add(letters).add(letters.replaceAll('+', '-').replaceAll('/', '_'))
    }
  }
  return forms
}

/**
 * The letters that stand for a secret alone in the base64 of a longer text, such as `Bearer SECRET`.
 *
 * @param before how many bytes stand before it, modulo 3
 */
function inBase64(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
}
