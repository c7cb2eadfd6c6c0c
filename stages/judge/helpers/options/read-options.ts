/** Reads the several options that a free-text answer names, for questions with more than one right option. */
import { anyJoin, isDenied } from './option-denials.js'
import { listRightOnes } from './listed-options.js'
import { letterAt, makeReader, matchAt, readLetter, removeDenied, type Reader } from './option-reader.js'
import { choiceTexts, foldWidth, type ChoiceText, squeeze, unwrapLatex, wholeChoices } from './option-text.js'
import { conclusion, correction, edge, start } from './option-words.js'
import { readOption } from './read-option.js'
import { clauseEnd, right } from './stated-options.js'
import { findStatedGroup, unboxDenied } from '../../text/stated-group.js'
import { withoutStruckText } from '../../text/struck-text.js'

const mark = '[\\s()[\\]{}<>*_"\'“”‘’`$.:（）【】]'
const join = `(?:[,;/&+|、，]|${anyJoin}|AND|OR)`

/** The options of a text that is only letters: `AC`, `A, C`, `A and C`; undefined if it is another text. */
export function parseLetters(text: string, count: number): readonly string[] | undefined {
  const letters = foldWidth(text)
    .replace(new RegExp(`${mark}|${join}`, 'gu'), ' ')
    .trim()
    .split(/\s+/)
    .flatMap(part => (/^[A-Z]+$/.test(part) ? Array.from(part) : ['']))
  const isPlain = letters.every(letter => letter !== '' && letter.charCodeAt(0) - 65 < count)
  return isPlain && letters.length > 0 && new Set(letters).size === letters.length ? letters : undefined
}

/** A list of letters behind "the answers are", up to the end of the list. */
const list = new RegExp(
  `${mark}*((?:[A-Z]{2,26}(?![\\p{L}\\p{N}])|[A-Z])(?:(?:${mark}|${join})*[A-Z](?![\\p{L}\\p{N}]|['’]\\p{L}))*)(?![\\p{L}\\p{N}]|['’]\\p{L})`,
  'uy',
)
const plural = new RegExp(
  `${start}(?:answers|options|choices|letters|antworten|réponses|respuestas|respostas|risposte|ответы)(?:\\s+(?:are|is|sind|sont|son|são|sono))?\\s*:?${edge}`,
  'giu',
)

/**
 * The options, A to letter number `count`, that an answer names, in the order of the alphabet. The signs are tried in
 * this order: texts of choices or letters and nothing else, boxes or tags, letters behind "the answers are", a table of
 * verdicts, letters that are called right, then the one option that {@link readOption} reads, or all letters of a short answer that are
 * not denied.
 */
export function readOptions(
  response: string,
  { count, choices: choiceList }: { readonly count: number; readonly choices: readonly string[] },
): readonly string[] {
  const choices = choiceTexts(choiceList)
  const answer = unboxDenied(unwrapLatex(squeeze(foldWidth(withoutStruckText(response)))))
  const reader = makeReader(answer, { count, choices })
  const attempts = [
    () => wholeChoices(answer, choices).map(letterAt),
    () => joinedChoices(answer, choices),
    () => parseLetters(answer, count) ?? [],
    () => findStatedGroup(answer).flatMap(content => parseLetters(content, count) ?? []),
    () => allButDenied(reader),
    () => statedList(reader),
    () => listRightOnes(reader),
    () => removeDenied(right(reader), reader).map(readLetter),
    () => onlyOne(response, { count, choices: choiceList }),
    () => (answer.length > longest ? [] : removeDenied(reader.standing, reader).map(readLetter)),
  ]
  for (const attempt of attempts) {
    const letters = attempt().filter(letter => letter !== undefined)
    if (letters.length > 0) return [...new Set(letters)].sort()
  }
  return []
}

/** The length of a short answer, whose letters are all meant. */
const longest = 200

/** The choices of a text that is only their texts: "red and blue". */
function joinedChoices(answer: string, choices: readonly ChoiceText[]): readonly string[] {
  if (answer.length > longest) return []
  const parts = answer.split(new RegExp(join, 'iu')).filter(part => part.trim() !== '')
  const found = parts.map(part => wholeChoices(part, choices).map(letterAt))
  return found.length > 1 && found.every(letters => letters.length > 0) ? found.flat() : []
}

const allBut = new RegExp(
  `${start}(?:all|every(?:thing|one|\\s+option)?)(?:\\s+(?:of\\s+)?(?:the|these|them)(?:\\s+(?:above|options|choices|answers))?)?\\s+(?:but|except(?:\\s+for)?)(?:\\s+(?:options?|choices?))?${edge}` +
    `|${start}(?:alles?\\s+(?:außer|bis\\s+auf|behalve)|tou(?:te)?s\\s+sauf|tod[oa]s\\s+(?:menos|salvo|exce[pt]+o)|tutt[ei]\\s+tranne|все,?\\s+кроме)${edge}|除了?(?=[^。\\n]{0,12}[都全])`,
  'giu',
)

/** All options but those that "all but B" leaves out. */
function allButDenied({ answer, count, choices }: Reader): readonly string[] {
  const last = [...answer.matchAll(allBut)].at(-1)
  if (last === undefined || choices.length === 0) return []
  const match = matchAt(list, answer, last.index + last[0].length)
  const left = match === null ? undefined : parseLetters(match[1] ?? '', count)
  return left === undefined ? [] : choices.map((_, index) => letterAt(index)).filter(letter => !left.includes(letter))
}

/** The last list of letters that is stated. */
function statedList({ answer, choices, count }: Reader): readonly string[] {
  const ends = [conclusion, plural, correction].flatMap(phrases =>
    Array.from(answer.matchAll(phrases), ({ 0: phrase, index }) => ({
      end: index + phrase.length,
      isCorrection: phrases === correction,
    })),
  )
  for (const { end, isCorrection } of ends.toSorted((a, b) => b.end - a.end)) {
    const match = matchAt(list, answer, end)
    if (isCorrection && match !== null && !clauseEnd.test(answer.slice(list.lastIndex, list.lastIndex + 20))) continue
    const letters = match === null ? undefined : parseLetters(match[1] ?? '', count)
    if (match === null || letters === undefined) continue
    const mention = { letter: letters[0], start: match.index, end: match.index + match[0].length }
    if (!isDenied(answer, mention, choices)) return letters
  }
  return []
}

function onlyOne(
  text: string,
  options: { readonly count: number; readonly choices: readonly string[] },
): readonly string[] {
  const found = readOption(text, options)
  return found.type === 'letter' ? [found.letter] : []
}
