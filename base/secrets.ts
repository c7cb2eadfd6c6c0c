const secretName = /(^|_)(key|token|secret|password|credentials?|authorization|headers)$/i

/** Whether an argument or variable of this name holds what must never be stored or shown. */
export const isSecretName = (name: string): boolean => secretName.test(name)

/** `text` with each of `secrets` replaced by `***`, also where it was written for a URL. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let shown = text
  for (const secret of secrets) {
    if (secret === '') continue
    shown = shown.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***')
  }
  return shown
}
