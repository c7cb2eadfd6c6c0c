/** `A`, `B`, … */
export const letter = (index: number): string => String.fromCharCode(65 + index)

/** `A. red`, `B. teal`, …: the options with their letters, one each. */
export const lettered = (options: readonly string[]): readonly string[] =>
  options.map((option, index) => `${letter(index)}. ${option}`)

/** `(A) red`, `(B) teal`, …: the options with their letters in brackets, one each. */
export const bracketed = (options: readonly string[]): readonly string[] =>
  options.map((option, index) => `(${letter(index)}) ${option}`)

/** A field that must be a text. @throws Error that names the field. */
export function text(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw new Error(`the field "${field}" must be a text, not ${JSON.stringify(value)}`)
}

/** A field that must be a list of texts. @throws Error that names the field. */
export function texts(value: unknown, field: string): readonly string[] {
  if (Array.isArray(value)) return value.map(item => text(item, field))
  throw new Error(`the field "${field}" must be a list of texts`)
}
