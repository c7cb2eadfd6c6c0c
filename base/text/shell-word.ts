/** Quotes a word for a shell if necessary. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith('~') ? word : `'${word.replaceAll("'", `'\\''`)}'`
