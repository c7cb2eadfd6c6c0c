import { seen, type PunktModel } from './punkt-model.js'
import {
  isInitial,
  punktTokens,
  startsLower,
  startsUpper,
  typeOfWord,
  typeWithoutStop,
  type PunktToken,
} from './punkt-tokens.js'

/** Whether a sentence ends within a text, that is before its last word. */
export function hasSentenceEnd(text: string, model: PunktModel): boolean {
  const words = punktTokens(text, model)
  for (const [index, word] of words.entries()) {
    const next = words[index + 1]
    if (next === undefined) return false
    decide(word, { next, model })
    if (word.endsSentence) return true
  }
  return false
}

/** Changes what a word with a full stop says of itself by what comes after it. Kiss and Strunk, sections 4.1 to 4.3. */
function decide(word: PunktToken, { next, model }: { readonly next: PunktToken; readonly model: PunktModel }): void {
  if (!word.endsInStop) return
  const [type, nextType] = [typeWithoutStop(word), typeOfWord(next)]
  const goesOn = (): void => {
    word.endsSentence = false
    word.isAbbreviation = true
  }
  if (model.collocations.has(`${type} ${nextType}`)) return goesOn()
  const begins = beginsSentence(next, model)
  const isOneLetter = isInitial(word)
  if ((word.isAbbreviation || word.isEllipsis) && !isOneLetter) {
    if (begins === 'yes' || (startsUpper(next) && model.starters.has(nextType))) {
      word.endsSentence = true
      return
    }
  }
  if (!isOneLetter && type !== '##number##') return
  const isName = isOneLetter && startsUpper(next) && !wasSeen(nextType, seen.lower, model)
  if (begins === 'no' || (begins === 'unknown' && isName)) goesOn()
}

/** What the case of a word's first letter says, beside where it was seen in that case. */
function beginsSentence(word: PunktToken, model: PunktModel): 'yes' | 'no' | 'unknown' {
  if ([';', ':', ',', '.', '!', '?'].includes(word.text)) return 'no'
  const was = (places: number): boolean => wasSeen(typeOfWord(word), places, model)
  if (startsUpper(word) && was(seen.lower) && !was(seen.upperWithin)) return 'yes'
  return startsLower(word) && (was(seen.upper) || !was(seen.lowerAtStart)) ? 'no' : 'unknown'
}

const wasSeen = (type: string, places: number, { contexts }: PunktModel): boolean =>
  ((contexts.get(type) ?? 0) & places) !== 0
