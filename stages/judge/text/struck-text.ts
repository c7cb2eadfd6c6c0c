/** Removes what Markdown crosses out: `~~B~~ C` says C. */
export const withoutStruckText = (text: string): string =>
  text.includes('~~') ? text.replace(/~~(?!\s)[^~\n]{1,200}~~/g, ' ') : text
