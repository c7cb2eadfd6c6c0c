/** The first character in upper case and all others in lower case, as Python's `str.capitalize`. */
export function capitalised(text: string): string {
  const [first = ''] = text
  return first.toUpperCase() + text.slice(first.length).toLowerCase()
}
