/** Finds the words with which a sentence concludes, for targets that are words: `Paris` in "The answer is Paris." */
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { answerPositions } from '../text/answer-markers.js'

const markup = /[*_"“”`$]|\\(?:text|mbox|textbf|mathrm)\s*\{([^{}]*)\}/g
const statement = /(?:(?<![\p{L}])(?:is|are|was|were|be|has|have|called|named)|(?<=\p{L})['’]s)(?![\p{L}])/gu
const opening = /^[\s:=]*(?:[([]?[A-Z][).\]]+\s+)?(?:(?:the|an?|clearly|therefore|thus)\s+)*/

/**
 * The words that a text ends a statement with: those that are announced as the answer, else those behind the last "is"
 * or "are" of its last sentence, else the whole text.
 */
export function findSaidWords(text: string): string {
  const plain = stripWhiteSpace(text.replace(markup, '$1'))
  const [announced] = answerPositions(plain)
  if (announced !== undefined) return readPhrase(plain.slice(announced))
  const last =
    plain
      .split(/[.!?]\s|\n/)
      .filter(sentence => stripWhiteSpace(sentence) !== '')
      .at(-1) ?? ''
  const said = [...last.matchAll(statement)].at(-1)
  return readPhrase(said === undefined ? last : last.slice(said.index + said[0].length))
}

/** The words up to the end of the sentence, without the article and the letter of an option before them. */
const readPhrase = (text: string): string =>
  stripWhiteSpace(/^[\s:]*[^.!?\n]*/.exec(text)?.[0].replace(opening, '') ?? '').replace(/[,;:]$/, '')
