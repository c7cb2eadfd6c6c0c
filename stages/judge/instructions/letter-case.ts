import { detectLanguage } from '../text/languages/detect-language.js'
import { isLower, isUpper } from '../text/letter-case.js'
import { treebankWords } from '../text/sentences/treebank-words.js'
import { compared, type Instruction } from './arguments.js'

/** Less than, or at least, `capital_frequency` words have no small letter. */
export const capitalWords: Instruction = (response, args) =>
  compared(treebankWords(response).filter(isUpper).length, args, {
    wanted: 'capital_frequency',
    by: 'capital_relation',
  })

/** The answer is English without small letters. */
export const englishCapital: Instruction = response => isUpper(response) && mayBeEnglish(response)

/** The answer is English without large letters. */
export const englishLowercase: Instruction = response => isLower(response) && mayBeEnglish(response)

/** An answer in which there is nothing to tell its language by counts as one that follows. */
function mayBeEnglish(response: string): boolean {
  const language = detectLanguage(response)
  return language === undefined || language === 'en'
}
