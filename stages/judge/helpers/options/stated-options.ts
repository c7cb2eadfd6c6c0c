/** The options that an answer states, corrects, calls right or names. */
import { makeMention, letterAt, matchAt, type Reader } from './option-reader.js'
import { anyJoin, type Mention } from './option-denials.js'
import { wholeChoices, wrappedChoices } from './option-text.js'
import { conclusion, correction, isRight, optionName } from './option-words.js'

/** The options that are stated by words such as "the answer is", in their order, by letter or by text. */
export function listStatedOptions(reader: Reader): readonly Mention[] {
  const { answer, choices, rules } = reader
  const positions = Array.from(answer.matchAll(conclusion), ({ 0: phrase, index }) => index + phrase.length)
  const stated = positions.flatMap((at): readonly Mention[] => {
    const [line = ''] = answer.slice(at, at + 400).split('\n', 1)
    const sentence = /^.*?(?=[.!?。！？;；](?:\s|$)|$)/u.exec(line)?.[0] ?? ''
    const match = matchAt(rules.next, answer, at)
    const texts = [line, sentence].map(passage => [
      ...wholeChoices(passage, choices),
      ...wrappedChoices(passage, choices),
    ])
    const chosen = texts.find(indexes => new Set(indexes).size === 1)?.[0]
    if (chosen !== undefined && !isLabel(match, sentence))
      return [{ letter: letterAt(chosen), start: at, end: at + sentence.length }]
    return match === null ? [] : [makeMention(match)]
  })
  return [...stated, ...listCorrections(reader)].toSorted((a, b) => a.start - b.start)
}

/** The end of a clause behind a letter. */
export const clauseEnd = /^[)\]*_"'”’`}$]*\s*(?:$|[\n.,;:!(…—–。，；！]|です|だ|입니다|이에요|예요|है|ہے|است|হবে|ஆகும்)/u

/** The options that take another one back, as clauses of their own: "A. Actually no, C." */
export function listCorrections({ answer, rules }: Reader): readonly Mention[] {
  const ends = Array.from(answer.matchAll(correction), ({ 0: phrase, index }) => index + phrase.length)
  return ends
    .map(end => matchAt(rules.next, answer, end))
    .filter(match => match !== null)
    .map(makeMention)
    .filter(({ end }) => clauseEnd.test(answer.slice(end, end + 20)))
}

/** Returns whether a stated letter is marked as a label, such as `(B)`, so that the text of a choice "B" is not meant. */
export const isLabel = (match: RegExpExecArray | null, sentence: string): boolean =>
  match !== null && /^[\s*_"'`$:]*[([][^()[\]]{1,2}[)\]]/u.test(sentence)

/** C is correct */
export const right = ({ answer, standing }: Reader): readonly Mention[] =>
  standing.flatMap((mention, i) =>
    matchAt(isRight, answer, mention.end) === null
      ? []
      : [...listJoined(answer, standing.slice(Math.max(0, i - mostJoined), i + 1)), mention],
  )

/** The number of letters that are looked at for a list before one that is right. */
const mostJoined = 25

/** The letters that a list joins to its last one: "A, B and" before "C are correct", "Aと" before "Cが正解です". */
function listJoined(answer: string, standing: readonly Mention[]): readonly Mention[] {
  const gaps = standing.slice(1).map((own, i) => answer.slice(standing[i]?.end, own.start))
  const first = gaps.findLastIndex(gap => !between.test(gap)) + 1
  if (first === gaps.length) return []
  // "Compared with A, C is correct" joins nothing, unlike "A, C are correct".
  const isJoined = byWord.test(gaps.at(-1) ?? '') || opening.test(answer.slice(0, standing[first]?.start))
  return isJoined ? standing.slice(first, -1) : []
}

const makeJoin = (sign: string): RegExp => new RegExp(`^[)\\]*_"”’$\\s]{0,6},?\\s*${sign}[(\\[*_"“‘$\\s]{0,6}$`, 'iu')
const byWord = makeJoin(`(?:&|/|、|${anyJoin})`)
const between = makeJoin(`(?:,|&|/|、|${anyJoin})`)
const opening = /(?:^|[.!?:\n])[\s*_"“(]*$/u

/** Option B; answer B */
export function listNamedOptions({ answer, rules }: Reader): readonly Mention[] {
  const ends = Array.from(answer.matchAll(optionName), ({ 0: name, index }) => index + name.length)
  return ends
    .map(end => matchAt(rules.capital, answer, end))
    .filter(match => match !== null)
    .map(makeMention)
}
