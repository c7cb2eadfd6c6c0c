/** Option letters of other alphabets, in the order in which their readers count options. */

const alphabets = ['ΑΒΓΔΕΖ', 'أبجده', 'אבגדהו', '①②③④⑤⑥⑦⑧⑨⑩'].map(letters => Array.from(letters))

/**
 * Cyrillic letters with one meaning as an option. `А` and `С` look like Latin letters, and `Б`, `Г` and `Д` can only be
 * the second, fourth and fifth option.
 */
const cyrillic: Readonly<Record<string, string>> = { А: 'A', Б: 'B', С: 'C', Г: 'D', Д: 'E' }

/** Cyrillic letters with two meanings: `В` looks like the second Latin letter, and is the third of its own alphabet. */
const unclear = 'ВЕ'

/** The letters of other alphabets that are read as options, as the inside of a character class. */
export const foreignLetters = [...alphabets.flat(), ...Object.keys(cyrillic), unclear].join('')

/** The Latin letter of an option that is written in another alphabet; undefined if it may be one of two options. */
export function latinLetter(letter: string): string | undefined {
  const index = Math.max(...alphabets.map(letters => letters.indexOf(letter)))
  return index >= 0 ? String.fromCharCode(65 + index) : (cyrillic[letter] ?? latin(letter))
}

const latin = (letter: string): string | undefined => (unclear.includes(letter) ? undefined : letter.toUpperCase())
