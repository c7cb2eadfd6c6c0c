/** Returns at most the first `most` characters of a text, without splitting a surrogate pair. */
export function takeBeginning(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most)
}

/** Cuts a text to at most `most` characters. A cut text ends with an ellipsis. */
export const shortenText = (text: string, most: number): string =>
  text.length <= most ? text : `${takeBeginning(text, most - 1)}…`
