/** What a dataset calls a doc, as text: a number or a text. @throws Error that names the field. */
export function identifier(value: unknown, field: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new Error(`the field "${field}" must be a number or a text, not ${JSON.stringify(value)}`)
}
