/** A word as it is typed into a shell: in quotes only where it must be. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith('~') ? word : `'${word.replaceAll("'", `'\\''`)}'`
