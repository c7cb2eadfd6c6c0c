/** Problems by file, line and column: `:9:` before `:10:`. */
export const inOrderOfPlaces = (problems: readonly string[]): readonly string[] =>
  [...problems].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
