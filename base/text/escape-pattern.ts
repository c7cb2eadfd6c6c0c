/** Escapes a text, so that a regular expression matches it literally. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
