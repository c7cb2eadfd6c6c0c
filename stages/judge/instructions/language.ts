import { detectLanguage } from '../text/languages/detect-language.js'
import { text, type Instruction } from './arguments.js'

/** The answer is in `language`, a code. One in which there is nothing to tell its language by counts as one that follows. */
export const responseLanguage: Instruction = (response, args) => {
  const wanted = text(args, 'language')
  const language = detectLanguage(response)
  return language === undefined || language === wanted
}
