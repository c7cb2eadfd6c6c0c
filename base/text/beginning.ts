/** Returns the first characters of a text, at most so many. It does not end in half a surrogate pair. */
export function takeBeginning(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most)
}

/** Cuts a text to at most so many characters, with an ellipsis at the end of a longer one. */
export const shortenText = (text: string, most: number): string =>
  text.length <= most ? text : `${takeBeginning(text, most - 1)}…`
