/** The first character in title case and all others in lower case, as Python's `str.capitalize`: `ßa` is `Ssa`, `ǆa` is `ǅa`. */
export function capitalised(text: string): string {
  const [first = ''] = text
  return titleCase(first) + text.slice(first.length).toLowerCase()
}

/** Letters of two have a form of their own, ligatures and sharp s a capital at their head, and Georgian has capitals for whole words alone. */
function titleCase(character: string): string {
  const ofTwo = /^[\u01c4-\u01cc\u01f1-\u01f3]$/.test(character)
  if (ofTwo) return titleForms[character.toLowerCase()] ?? character
  if (/^\p{Script=Georgian}$/u.test(character)) return character
  const [head = '', ...others] = character.toUpperCase()
  return head + others.join('').toLowerCase()
}

const titleForms: Readonly<Record<string, string>> = { ǆ: 'ǅ', ǉ: 'ǈ', ǌ: 'ǋ', ǳ: 'ǲ' }
