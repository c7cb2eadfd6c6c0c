/** Reads yes or no as a word of an answer, in several languages. */
import { joinSpaced, joinUnspaced, listWords } from '../../text/answer-words/answer-words.js'
import { foldWidth, unwrapLatex } from '../options/option-text.js'
import { deniedAfter, deniedBefore, harmless, question } from '../options/option-denials.js'
import { correction } from '../options/option-words.js'
import { findStatedGroup, unboxDenied } from '../../text/stated-group.js'
import { withoutStruckText } from '../../text/struck-text.js'
import { spacedCharacter, unspacedScripts } from '../../text/word-edges.js'

export type YesOrNo = 'yes' | 'no'

/** English words count anywhere in the answer. */
const english: ReadonlyMap<string, YesOrNo> = new Map([
  ['yes', 'yes'],
  ['no', 'no'],
])
const truth: ReadonlyMap<string, YesOrNo> = new Map([...english, ['true', 'yes'], ['false', 'no']])

/** These count if the answer is nothing else. */
const shortForms: ReadonlyMap<string, YesOrNo> = new Map([
  ...['yes', 'y', 'yep', 'yeah'].map(word => [word, 'yes'] as const),
  ...['no', 'n', 'nope'].map(word => [word, 'no'] as const),
  // "Sure, there is no dog" is no.
  ...'correct|certainly|absolutely|sure|of course|definitely|indeed|✅|👍|✔|✓|☑'
    .split('|')
    .map(word => [word, 'yes'] as const),
  ...'incorrect|negative|probably not|surely not|no way|❌|👎|✗|✘'.split('|').map(word => [word, 'no'] as const),
])

/** Words of other languages count as whole clauses, because they mean more than yes and no within sentences. */
const foreignWords: ReadonlyMap<string, YesOrNo> = new Map([
  ...'是|是的|对|對|对的|正确|正確|肯定|肯定的|はい|ええ|正しい|예|네|맞다|맞습니다|그렇습니다|ใช่|有|有的|会|會'
    .split('|')
    .map(word => [word, 'yes'] as const),
  ...'affirmative|yeah|yep|igen|kyllä|ano|da'.split('|').map(word => [word, 'yes'] as const),
  ...'да|так|oui|sí|si|sì|ja|sim|نعم|أجل|हाँ|हां|जी हाँ|có|đúng|vâng|evet|ya|tak|ναι|כן|بله|true|yes'
    .split('|')
    .map(word => [word, 'yes'] as const),
  ...'不|不是|不是的|否|没有|沒有|不对|不對|不正确|不正確|错|錯|错误|錯誤|否定|否定的|いいえ|いえ|違う|違います|正しくない'
    .split('|')
    .map(word => [word, 'no'] as const),
  ...'아니오|아니요|아뇨|아니다|아닙니다|그렇지 않습니다|ไม่|ไม่ใช่|不会|不會'
    .split('|')
    .map(word => [word, 'no'] as const),
  ...'absolutely not|certainly not|definitely not|of course not|not at all|nope|nah|nem|ei|ne|nu'
    .split('|')
    .map(word => [word, 'no'] as const),
  ...'нет|ні|non|nein|não|لا|كلا|नहीं|जी नहीं|không|hayır|tidak|nie|nee|όχι|לא|خیر|نه|nej|không có|ไม่มี|false|no'
    .split('|')
    .map(word => [word, 'no'] as const),
])

/** These words count where an answer begins, or announces and ends its result. Elsewhere they mean other things. */
const answerOpenings: ReadonlyMap<string, YesOrNo> = new Map([
  ...listWords('yes').map(word => [word, 'yes'] as const),
  ...listWords('no').map(word => [word, 'no'] as const),
  ...foreignWords,
])

/** These words answer nothing: "No doubt, yes", "I have no idea", "I see no image". */
const certainty =
  /(?<![\p{L}])(?:(?:i|we) (?:have|see|received|got|was given|were given) no (?:image|picture|photo|video|access|way|information|answer|context)s?|no (?:image|picture|photo|video|information|details?|context)s? (?:is|are|was|were|has been|have been) (?:provided|attached|given|uploaded|available|visible)|no (?:idea|clue|comment|answer|problem|worries|wonder|matter|information)|no way (?:to|of) \p{L}+|no one (?:knows|can (?:tell|say|know))|no (?:doubt|question|reason to (?:doubt|question)(?: (?:it|this|that))?))(?![\p{L}])/gu
/** Begins as a word for no, and answers nothing: "No sé". */
const unknowing = new RegExp(
  `(?<![\\p{L}])${joinSpaced(({ unknowing: phrases }) => phrases)}(?![\\p{L}])[^,.;!?\\n]*`,
  'giu',
)
/** Several words that stand in the picture: 'It says "No smoking"'. */
const sign =
  /(?<=(?<!\p{L})(?:says?|reads?|said|signs?|labels?|text|caption|words|written|titled|called|named)\P{L}{1,3})["“][^"”\n]{1,80}\s[^"”\n]{1,80}["”]/gu
/** "No." before a number is short for "number". */
const numberSign =
  /(?<!\p{L})(?:(?:house|room|bus|line|page|number|route|figure|question|item|gate|platform)[^\S\n:]*:?[^\S\n]*no\.?|no\.|n[º°]\.?)[^\S\n]*#?\d+/gu

/** A word of a script with spaces, or a run of letters without. */
const anyWord = new RegExp(
  `${spacedCharacter}+(?:['’]${spacedCharacter}+)*|[${unspacedScripts}]+|[\\p{sc=Hangul}]+`,
  'gu',
)
/** Matches "yes or no", "yes no" and "no yes", but not "Yes. No other cat is there". */
const bothAtStart =
  /^\P{L}*(?:yes|no)\s*(?:or|and|\/)\s*(?:yes|no)(?!\p{L})|^\P{L}*(?:yes\P{L}+no|no\P{L}+yes)(?:\P{L}*$|\s*[.!?\n]|\P{L}+(?:yes|no)(?!\p{L}))/u
const clauseEnd = /[,.!?;。，、！？；।؟،\n]+/u
const anyClause = /[^,.!?;。，、！？；।؟،\n]+/gu
const sentenceEnd = /[.!?;。！？；؟\n]+|,\s*(?:wait|sorry|actually|rather|hmm)\s*[,.:!–—-]+/u
const announced = new RegExp(
  `^.*(?:答案|回答|答え|正解|결론|정답|คำตอบ|${joinSpaced(({ nouns }) => nouns)}|${joinUnspaced(({ nouns }) => nouns)})` +
    `(?:\\s+${joinSpaced(({ qualities }) => qualities)})?\\s*(?:是|为|為|は|은|는|คือ|:|${joinSpaced(({ verbs }) => verbs)}(?!\\p{L}))?\\s*:?`,
  'siu',
)
/** Matches an answer that is stated, as in `{"answer": "yes", …}`. */
const statement =
  /(?<!\p{L})answer["'*_\x60]*\s*(?::|=|is|would be|should be)+[\s"'*_\x60({[]*(yes|no|true|false)(?!\p{L}|\s*(?:or|and|\/)\s*(?:yes|no)|\s+(?:longer|doubt))/gu
/** Matches both words as the two possible answers. */
const pair = /(?<!\p{L})(?:yes\s*(?:or|\/)\s*no|no\s*(?:or|\/)\s*yes)(?!\p{L})/gu
const politeEnding = /\s*(?:です|でした|だ|と思います|입니다|이에요|예요|이다|ครับ|ค่ะ|คะ)$/u

/**
 * The yes or no in an answer; undefined if it has neither or both. What the last box or tag states is read first, then
 * what is announced ("the answer is no") or corrected ("wait, no") last, or stands alone on the last line. Else a word at
 * the start of the answer counts, unless another sentence says the opposite; elsewhere all that are said must agree. A denied word ("not yes") does not count.
 */
export function yesNoWord(text: string): YesOrNo | undefined {
  const answer = removeIdleWords(unboxDenied(unwrapLatex(foldWidth(withoutStruckText(text)))).toLowerCase())
  const stated = findStatedGroup(answer).map(readPlain)
  const meanings = new Set(stated.filter(word => word !== undefined))
  if (meanings.size > 0) return meanings.size === 1 ? [...meanings][0] : undefined
  return readPlain(answer)
}

const removeIdleWords = (text: string): string =>
  withoutQuestions(text).replace(sign, ' ').replace(certainty, ' ').replace(unknowing, ' ').replace(numberSign, ' ')

/** Reads an answer without boxes. */
function readPlain(answer: string): YesOrNo | undefined {
  const words = [...answer.matchAll(anyWord)]
  const [first] = words
  if (words.length < 3) {
    const whole = shortForms.get(
      words.length === 1 ? (first?.[0] ?? '') : answer.replace(/["'“”*_\x60.!\ufe0f]/gu, '').trim(),
    )
    if (whole !== undefined) return whole
  }
  if (first === undefined) return undefined
  return readFinal(answer) ?? readWords(answer, first, words)
}

/** The result that is announced, corrected or left on a line of its own, whichever comes last. */
function readFinal(answer: string): YesOrNo | undefined {
  const found: { readonly at: number; readonly word: YesOrNo }[] = []
  const add = (at: number, word: YesOrNo | undefined): void => {
    if (word !== undefined) found.push({ at, word })
  }
  for (const match of answer.matchAll(statement))
    if (!isDenied(answer, match)) add(match.index, truth.get(match[1] ?? ''))
  for (const { 0: phrase, index } of answer.matchAll(correction)) {
    const hesitations = Array.from(phrase.matchAll(anyWord), ([word]) => answerOpenings.get(word))
    // "No, …" alone may be the answer and no correction of one.
    if (hesitations.every(word => word !== undefined)) continue
    const end = index + phrase.length
    const [, next = ''] = nextClause.exec(answer.slice(end, end + reach)) ?? []
    add(end, answerOpenings.get(next) ?? hesitations.findLast(word => word !== undefined))
  }
  for (const { 0: clause, index } of answer.matchAll(anyClause)) add(index + clause.length, announcedWord(clause))
  const lines = answer.trimEnd().split('\n')
  const last = lines.at(-1) ?? ''
  if (lines.length > 1) add(answer.length, clauseWord(last.replace(/[.!。！]+$/u, ''), answerOpenings))
  return found.toSorted((a, b) => a.at - b.at).at(-1)?.word
}

/** The words up to the end of a clause. */
const nextClause = /^["'“*_\s]*([^,.:!?;。，！？；،।\n"'”*_]{1,30}?)["'”*_]*\s*(?:[,.:!;。，！；،।\n]|$)/u

/** The word with which the answer begins, unless another sentence says the opposite; else the one that all words agree on. */
function readWords(answer: string, first: RegExpExecArray, words: readonly RegExpExecArray[]): YesOrNo | undefined {
  const clauses = answer.split(clauseEnd).filter(clause => clause.trim() !== '')
  const [opening, ...more] = clauses.map((clause, i) => clauseWord(clause, i === 0 ? answerOpenings : foreignWords))
  const atStart = english.get(first[0])
  if (atStart !== undefined && !isDenied(answer, first)) {
    const later = answer.split(sentenceEnd).map(clause => clauseWord(clause, foreignWords))
    const isRevoked = bothAtStart.test(answer) || later.some(word => word !== undefined && word !== atStart)
    return isRevoked ? undefined : atStart
  }
  if (opening !== undefined && atStart === undefined) return opening
  // Scripts without spaces between words write one behind such a word: "ใช่ มีสุนัข".
  if (/^[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u.test(first[0])) {
    const word = answerOpenings.get(first[0])
    if (word !== undefined) return word
  }
  const pairs = Array.from(answer.matchAll(pair), ({ index, 0: phrase }) => [index, index + phrase.length] as const)
  const said = words
    .filter(word => english.has(word[0]) && !pairs.some(([from, to]) => word.index >= from && word.index < to))
    .filter(word => !isDenied(answer, word))
    .map(word => english.get(word[0]))
  const meanings = new Set([...said, ...more].filter(word => word !== undefined))
  return meanings.size === 1 ? [...meanings][0] : undefined
}

/** The yes or no that is a whole text, such as a target. */
export const wholeYesNo = (text: string): YesOrNo | undefined =>
  foreignWords.get(
    foldWidth(text)
      .toLowerCase()
      .trim()
      .replace(/[.。]+$/u, ''),
  )

function clauseWord(clause: string, known: ReadonlyMap<string, YesOrNo>): YesOrNo | undefined {
  const bare = trimMarks(clause)
  const tail = bare.replace(announced, '').trim()
  for (const form of [bare, tail, bare.replace(politeEnding, ''), tail.replace(politeEnding, '')]) {
    const word = known.get(form)
    if (word !== undefined) return word
  }
  return undefined
}

/** The word of a clause that announces it: "the answer is no", 答案是否. */
function announcedWord(clause: string): YesOrNo | undefined {
  const bare = trimMarks(clause)
  const tail = bare.replace(announced, '').trim()
  if (tail === bare || deniedBefore.test(bare.slice(0, bare.length - tail.length))) return undefined
  return answerOpenings.get(tail) ?? answerOpenings.get(tail.replace(politeEnding, ''))
}

const trimMarks = (clause: string): string => clause.replace(/["'“”‘’「」『』*_`()[\]]/gu, '').trim()

/** The number of characters before a word that are searched for words that deny it. */
const reach = 160

function isDenied(answer: string, { 0: word, index: at }: RegExpExecArray): boolean {
  const ahead = answer.slice(Math.max(0, at - reach), at).replace(harmless, phrase => ' '.repeat(phrase.length))
  return deniedBefore.test(ahead) || deniedAfter.test(answer.slice(at + word.length, at + word.length + reach))
}

/** Matches "Yes?", which says nothing. */
const unsure = /^\P{L}*(?:yes|no)\s*\?$/u

/** Removes questions such as "Is the answer yes?". */
const withoutQuestions = (answer: string): string =>
  answer.replace(/(?<=^|[.!?\n])[^.!?\n]*\?/g, sentence =>
    question.test(sentence) || unsure.test(sentence) ? ' ' : sentence,
  )
