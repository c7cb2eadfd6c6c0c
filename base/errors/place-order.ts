/** Sorts problems by file, line and column, so that `:9:` comes before `:10:`. */
export const inOrderOfPlaces = (problems: readonly string[]): readonly string[] =>
  [...problems].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
