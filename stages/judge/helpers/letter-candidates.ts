/**
 * What two extractors of option letters have in common: they collect every place where a letter looks like the answer, each with a
 * rank for the form that it has there, and take the best one.
 */
import { stripWhiteSpace } from '../../../base/white-space.js'
import { stripCharacter } from '../text/code-points.js'

export interface LetterCandidate {
  readonly letter: string
  /** Where it stands in the text. */
  readonly at: number
  /** Higher is a clearer sign. */
  readonly rank: number
}

/** Without white space and then, one after the other, without these marks at the ends; with one space on either side. */
export function paddedAnswer(response: string): string {
  const bare = [',', '.', '!', '?', ';', ':', "'", '"'].reduce(stripCharacter, stripWhiteSpace(response))
  return ` ${bare} `
}

/** The last place, or the first, of each letter in the form that `written` gives it. */
export function writtenPlaces(
  text: string,
  letters: readonly string[],
  {
    rank,
    written,
    take = 'last',
  }: { readonly rank: number; readonly written: (letter: string) => string; readonly take?: 'last' | 'first' },
): readonly LetterCandidate[] {
  return letters.flatMap(letter => {
    const at = take === 'last' ? text.lastIndexOf(written(letter)) : text.indexOf(written(letter))
    return at < 0 ? [] : [{ letter, at, rank }]
  })
}

/** The first place of each letter from `start` on. */
export function firstPlaces(
  text: string,
  letters: readonly string[],
  { rank, start }: { readonly rank: number; readonly start: number },
): readonly LetterCandidate[] {
  return letters.flatMap(letter => {
    const at = text.indexOf(letter, start)
    return at < 0 ? [] : [{ letter, at, rank }]
  })
}

/** The letter with the highest rank; among equal ones that which stands last or first, as said; then the one that came first. */
export function bestLetter(candidates: readonly LetterCandidate[], prefer: 'last' | 'first'): string | undefined {
  const place = prefer === 'last' ? 1 : -1
  let best: LetterCandidate | undefined
  for (const candidate of candidates) {
    const isBetter =
      best === undefined ||
      candidate.rank > best.rank ||
      (candidate.rank === best.rank && candidate.at * place > best.at * place)
    if (isBetter) best = candidate
  }
  return best?.letter
}
